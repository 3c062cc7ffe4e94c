"""Analysis of results: summaries, verification, figures, reports and decisions between protocols."""
