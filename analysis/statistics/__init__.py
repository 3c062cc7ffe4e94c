"""Confidence intervals, exact percentiles and paired differences."""
