"""Commands about scenarios, movement files and the protocols available."""
