"""One file per ordering."""
