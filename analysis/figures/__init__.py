"""Figures from summaries, without Spark and files."""
