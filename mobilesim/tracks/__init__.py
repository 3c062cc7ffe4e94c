"""Movement from files of other tools, and its way into some of them. docs/tracks.md says what is read of each."""

from mobilesim.tracks.position import Position
from mobilesim.tracks.reading import Reading, read

__all__ = ["Position", "Reading", "read"]
