"""Checks of the catalogue's claims by measurement."""
