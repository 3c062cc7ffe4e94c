"""Checks that compare tables with each other: cells of hosts, stored messages, and the runs of a directory."""
