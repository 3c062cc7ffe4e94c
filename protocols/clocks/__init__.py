"""Clocks that timestamp messages, and so tell which of two was sent first, if either was; they order nothing."""
