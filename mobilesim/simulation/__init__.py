"""Discrete-event simulation of a network of cells, or of a static network."""
