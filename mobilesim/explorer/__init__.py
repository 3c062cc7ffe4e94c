"""The explorer: explicit-state model checking of small configurations, with or without partial-order reduction."""
