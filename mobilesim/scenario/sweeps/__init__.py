"""Sweep files: a scenario, its varied keys, and the replications of each point."""
