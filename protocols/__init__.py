"""Pure state machines: orderings, placements, and the catalogue of their pairs. No clock, no randomness, no I/O."""
