"""The track formats of other tools, with one module for each format."""
