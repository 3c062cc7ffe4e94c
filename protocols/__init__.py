"""Pure state machines: orderings, placements, and the catalogue that pairs them. No clock, no randomness, no I/O."""
