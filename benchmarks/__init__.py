"""Benchmarks: the CPU time per message of mobilesim, SimPy and ns.py."""
