"""What the clocks of a communication network cost, by its links alone."""
