"""Speed, side by side with SimPy and ns.py: `python -m benchmarks`."""
