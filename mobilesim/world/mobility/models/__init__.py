"""Mobility models, one file each."""
