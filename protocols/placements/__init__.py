"""One file per placement."""
