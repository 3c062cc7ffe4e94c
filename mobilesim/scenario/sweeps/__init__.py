"""Sweep files: a scenario, the keys that vary, and the replications of each point."""
