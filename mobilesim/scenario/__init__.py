"""Scenarios: from YAML to a typed, checked, immutable model."""
