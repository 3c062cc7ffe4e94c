"""Sizes of logical clocks in a communication network, computed from the network's links."""
