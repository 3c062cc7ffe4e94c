"""Benchmarks: the time of simulations, summaries and sweeps, compared with SimPy, ns.py, C, DuckDB and processes."""
