"""Scenarios with one mistake in their wireless channels, each with its exact error line."""

from typing import Final

from tests.support.bad_scenarios import Bad

WIRELESS: Final = (
    Bad(
        "wireless:\n  medium: csma\n  loss: 0.1\n  retry: 1 ms\n  contention: {window_max: 16}\n",
        "x.yaml:5: wireless.contention.window_max: the window starts with 32 slots; write as many or more",
    ),
    Bad(
        "wireless: {contention: {slot: 9 us}}\n",
        "x.yaml:1: wireless.contention: only 'medium: csma' has contention; write it too, or leave this key out",
    ),
    Bad(
        "wireless: {broadcast: true}\n",
        "x.yaml:1: wireless.broadcast: only a shared downlink has several receivers; write 'medium: shared'",
    ),
    Bad(
        "wireless: {retries: 3}\n",
        "x.yaml:1: wireless.retries: without losses, no frame is given up; write a loss too, or leave this key out",
    ),
    Bad(
        "wireless:\n  overlap: 2 s\nmobility: {gap: 1 s}\n",
        "x.yaml:2: wireless.overlap: with 'mobility.gap', cells do not overlap; leave one of them out",
    ),
    Bad(
        "wireless:\n  loss: 0.1\n  rejoin: 2 s\n",
        "x.yaml:3: wireless.rejoin: without 'retries', no host is cut off; write it too, or leave this key out",
    ),
    Bad(
        "wireless: {beacon_frames: {}}\n",
        "x.yaml:1: wireless.beacon_frames: there are no beacons; write 'beacon: 100 ms', or leave this key out",
    ),
    Bad(
        "wireless:\n  beacon: 1 ms\n  beacon_frames: {size: 1 kB}\n",
        "x.yaml:3: wireless.beacon_frames.size: a beacon of 1020 B takes 8.16 ms at 1 Mbit/s; write less than "
        "wireless.beacon, 1 ms",
    ),
)
