"""Atomic writing of files, and reading of input files."""
