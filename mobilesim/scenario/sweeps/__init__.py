"""Sweep files: a scenario, what varies in it, and how often each point is run."""
