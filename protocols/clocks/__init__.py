"""Logical clocks: they timestamp messages, to decide whether one was sent before another; they order no deliveries."""
