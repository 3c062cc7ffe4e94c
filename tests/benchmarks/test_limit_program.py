"""The program in C does the work of a message: its records replay through mobilesim's own oracle."""

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from benchmarks.limit_program import LimitCounts, compile_program, compiler, run_limit, run_program
from mobilesim.oracle.causal_order import Oracle
from mobilesim.recording.delivery_record import FIELDS

pytestmark = pytest.mark.skipif(compiler() is None, reason="no C compiler")

MESSAGES = 2_000
FEW_HOSTS = ("HOSTS=4", "STATIONS=2", "PAUSE=5e6")
"""Four hosts that talk so fast that messages overtake one another on the wires."""


def run_small(folder: Path, *definitions: str) -> tuple[LimitCounts, dict[str, npt.NDArray[np.int64]]]:
    compile_program(folder / "limit", (*FEW_HOSTS, *definitions))
    counts = run_program(folder / "limit", MESSAGES, folder / "records")
    rows = np.fromfile(folder / "records", np.int64).reshape(-1, len(FIELDS))
    return counts, dict(zip(FIELDS, rows.T, strict=True))


def judged(rows: dict[str, npt.NDArray[np.int64]]) -> Oracle:
    """Return mobilesim's oracle after all submissions and deliveries, in the order of time."""
    oracle = Oracle(4)
    steps = [
        *((time, 0, number) for number, time in enumerate(rows["submitted"].tolist())),
        *((time, 1, number) for number, time in enumerate(rows["delivered"].tolist())),
    ]
    for _, is_delivery, row in sorted(steps):
        message, source, host = (int(rows[name][row]) for name in ("message", "source", "destination"))
        if is_delivery:
            oracle.delivered(message, source, host)
        else:
            oracle.submitted(message, source, (host,))
    return oracle


def test_every_message_is_delivered_acknowledged_checked_and_recorded() -> None:
    counts = run_limit(500)
    assert counts.messages == counts.deliveries == counts.causal_checks == 500
    assert counts.acknowledgements == 2 * 500
    assert counts.violations == 0
    assert counts.bytes == 500 * len(FIELDS) * 8


def test_messages_wait_for_their_causal_predecessors_and_the_oracle_of_mobilesim_agrees(tmp_path: Path) -> None:
    counts, rows = run_small(tmp_path)
    oracle = judged(rows)
    assert counts.waits > 0
    assert (counts.violations, oracle.causal, oracle.duplicates, list(oracle.lost())) == (0, 0, 0, [])


def test_without_the_ordering_both_oracles_count_the_same_violations(tmp_path: Path) -> None:
    counts, rows = run_small(tmp_path, "ORDERED=0")
    assert counts.waits == 0
    assert counts.violations == judged(rows).causal == np.count_nonzero(rows["overtaken"] >= 0) > 0


def test_the_times_of_a_record_are_in_the_order_of_the_message_s_way(tmp_path: Path) -> None:
    counts, rows = run_small(tmp_path)
    way = ("submitted", "uplink_started", "accepted", "stamped", "sent", "landed", "first", "handed")
    times = np.array([rows[name] for name in (*way, "downlink_started", "delivered")])
    assert np.all(np.diff(times, axis=0) >= 0)
    assert sorted(rows["message"].tolist()) == list(range(counts.messages))
    assert np.all(np.diff(rows["delivered"]) >= 0)
