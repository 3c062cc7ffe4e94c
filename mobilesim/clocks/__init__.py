"""Sizes of logical clocks in a communication network, by its links alone."""
