"""Check by measurement what the catalogue claims of each protocol."""
