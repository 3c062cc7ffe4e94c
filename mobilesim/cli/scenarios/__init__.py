"""Commands about scenarios, movement files and protocols."""
