"""Track formats of other tools, one file each."""
