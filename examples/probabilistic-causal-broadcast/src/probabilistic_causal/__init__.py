"""Probabilistic causal broadcast with a hashed vector, and models to measure it with, for mobilesim."""
