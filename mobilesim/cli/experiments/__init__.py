"""Commands that run experiments or read their results."""
