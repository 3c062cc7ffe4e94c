"""Hand-off: visits and their state tables, the flushed hand-off, and the wireless hop of a host."""
