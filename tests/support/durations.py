"""Durations of the steps of a scripted run.

A message has 100 bytes, a header 20, and an integer 4. The wireless channel has 1 Mbit/s and a latency of 500 us. Wired
links have 100 Mbit/s and a latency of 7 ms. A station processes a packet in 10 us, and each of its integers in 1 us.
"""

from tests.support.simulations import MS

UP = 128 * 8 * 1000 + 500_000
"""A frame of 20 + 100 bytes, with its number and the address of one destination."""

DOWN = 124 * 8 * 1000 + 500_000
"""A downlink frame, which has no address."""

ONE_MESSAGE = [(100 * MS, 0, 1)]

# A hand-off's packets: registration 36 B on the uplink, request 36 B on a wired link (4 integers), state 60 B (10
# integers: 2 x 2 + 2 of the ordering, and 4 others). Both ends of a wired link process all integers.
REGISTER = 36 * 8 * 1000 + 500_000
BEGIN = 14_000 + 36 * 80 + 7 * MS + 14_000
STATE = 20_000 + 60 * 80 + 7 * MS + 20_000

AGAIN = 32 * 8 * 1000 + 500_000
"""A registration in the same cell, which has one integer fewer."""
