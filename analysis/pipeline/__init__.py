"""Entry points: summarise a run or a sweep from its directory to its report."""
