"""Protocols and models of other packages: their declaration, their resolution by name, and single plug-in files."""
