"""Check the claims of the catalogue by measurement."""
