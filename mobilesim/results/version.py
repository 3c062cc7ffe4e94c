"""The version of mobilesim, which is written into results: results of different versions are never mixed."""

__version__ = "0.1.0"
