"""Decisions: the Pareto frontier of protocols and the recommendation."""
