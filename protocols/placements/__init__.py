"""Placements: where the processes of an ordering run, and how their state moves in a hand-off. One file each."""
