"""Scenarios: YAML files are read into a typed, checked and immutable model."""
