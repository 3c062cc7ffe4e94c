"""Reproduced figures of papers: their definitions, their runs, and checks of the statements in the papers."""
