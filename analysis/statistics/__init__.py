"""Confidence intervals, exact percentiles, paired differences and Pareto dominance."""
