"""The sections of a scenario, one pydantic model each."""
