"""Experiments: single runs, sweeps, measured claims and reproduced figures of papers."""
