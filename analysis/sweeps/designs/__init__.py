"""Designs of sweeps that are no grids: their overview, and Sobol indices."""
