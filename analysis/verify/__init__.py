"""Verification of results from their tables alone, without code of the simulator, its oracle or its recorder."""
