"""Maps of a scenario's cells and of the paths of its hosts, as SVG. The same scenario gives the same file."""
