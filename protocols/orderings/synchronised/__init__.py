"""Orderings in which a message waits at its sender for a turn or for an acknowledgement."""
