"""The version of mobilesim, which is written into results. A directory never has results of different versions."""

__version__ = "0.1.0"
