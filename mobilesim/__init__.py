"""A simulator of mobile networks and of protocols for causally ordered, exactly-once messages between their hosts."""

from mobilesim.results.version import __version__

__all__ = ["__version__"]
