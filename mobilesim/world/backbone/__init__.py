"""The wired backbone: links, random topologies, shortest paths and routes around failed links."""
