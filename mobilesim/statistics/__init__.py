"""Statistics that both `mobilesim` and `analysis` need."""
