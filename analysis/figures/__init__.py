"""Figures, from summaries alone: nothing here knows of Spark or of files."""
