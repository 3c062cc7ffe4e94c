"""The version of mobilesim, which is written into results. All results in a directory have the same version."""

__version__ = "0.1.0"
