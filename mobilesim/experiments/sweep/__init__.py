"""Sweeps: many runs of one scenario with something varied, and what is kept of them."""
