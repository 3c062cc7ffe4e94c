"""Processes of orderings that may join and leave."""
