"""The sizes of the clocks of known links."""
