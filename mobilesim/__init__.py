"""An emulator of mobile networks and of the protocols that order their messages."""

__version__ = "0.1.0"
