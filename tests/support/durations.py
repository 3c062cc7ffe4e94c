"""Durations of the steps of a scripted run.

A message has 100 bytes, a header 20, and an integer 4. The wireless channel has 1 Mbit/s and a latency of 500 us. Wired
links have 100 Mbit/s and a latency of 7 ms. A station processes a packet in 10 us.
"""

from tests.support.simulations import MS

UP = 128 * 8 * 1000 + 500_000
"""A frame of 20 + 100 bytes, with its number and the address of one destination."""

DOWN = 124 * 8 * 1000 + 500_000
"""A downlink frame, which has no address."""

ONE_MESSAGE = [(100 * MS, 0, 1)]

# A hand-off's packets: registration 36 B on the uplink, request 36 B on a wired link, state 60 B (2 x 2 + 2 integers of
# the ordering, and 4 others). A packet without ordering header costs 10 us of processing at either end.
REGISTER = 36 * 8 * 1000 + 500_000
BEGIN = 10_000 + 36 * 80 + 7 * MS + 10_000
STATE = 10_000 + 60 * 80 + 7 * MS + 10_000

AGAIN = 32 * 8 * 1000 + 500_000
"""A registration in the same cell, which has one integer fewer."""
