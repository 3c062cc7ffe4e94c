"""Explorations in which processes join and leave a static network."""
