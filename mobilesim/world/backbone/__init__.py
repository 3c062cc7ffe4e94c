"""The wired backbone: links, random topologies, shortest paths and rerouting around failed links."""
