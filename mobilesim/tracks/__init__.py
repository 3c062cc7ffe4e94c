"""Reads and writes tracks (the movement of nodes) in the file formats of other tools; see docs/tracks.md."""

from mobilesim.tracks.position import Position
from mobilesim.tracks.reading import Reading

__all__ = ["Position", "Reading"]
