"""Sweep summaries: axes, pairwise comparisons, variants, and the first event in which two runs differ."""
