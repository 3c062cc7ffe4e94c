"""Pictures of a scenario's ground and of the ways of its hosts, as SVG. The same scenario gives the same bytes."""
