"""The order of deliveries, and the waits for it, recomputed from the tables."""
