"""Entry points: summarize a run or a sweep from its directory to its report."""
