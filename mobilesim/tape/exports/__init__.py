"""Tapes in the formats of other programs."""
