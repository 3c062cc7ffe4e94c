"""Orderings with vectors that count messages: of each process, or of each member of each group."""
