"""The version of mobilesim, which results carry: tables of another version are never mixed with these."""

__version__ = "0.1.0"
