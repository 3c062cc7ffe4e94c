"""Hand-off: visits (stays of a host in a cell) with their state tables, the flushed hand-off, the wireless hop."""
