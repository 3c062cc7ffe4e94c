"""Reads and writes movement in the file formats of other tools; docs/tracks.md describes them."""

from mobilesim.tracks.position import Position
from mobilesim.tracks.reading import Reading

__all__ = ["Position", "Reading"]
