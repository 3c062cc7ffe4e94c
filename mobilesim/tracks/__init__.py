"""Movement from files of other tools, and its way into some of them. docs/tracks.md says what is read of each."""

from mobilesim.tracks.position import Fix
from mobilesim.tracks.reading import Reading, read

__all__ = ["Fix", "Reading", "read"]
