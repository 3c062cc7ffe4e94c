"""Sweeps: the runs of one scenario at all points of a grid of varied keys."""
