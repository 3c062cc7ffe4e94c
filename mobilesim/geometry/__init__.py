"""Graphs, Voronoi regions and coordinates, independent of any scenario."""
