"""What the catalogue claims of each protocol, measured."""
