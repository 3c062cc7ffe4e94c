"""Logical clocks: they timestamp messages, to decide which was sent first. They do not delay deliveries."""
