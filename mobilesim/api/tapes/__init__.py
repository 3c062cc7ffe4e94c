"""Tapes in Python: the events of a run or of a counter-example."""
