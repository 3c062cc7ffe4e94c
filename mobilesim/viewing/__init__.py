"""The viewer of a tape: one HTML page that works offline."""
