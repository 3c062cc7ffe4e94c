"""Values in scenario files: quantities with units, distributions, ranges and their validation errors."""
