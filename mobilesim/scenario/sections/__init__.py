"""The sections of a scenario. Each section is a pydantic model."""
