"""Logical clocks: they timestamp messages, to decide which of two was sent first. They do not delay deliveries."""
