"""Summaries of given numbers, without runs."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from mobilesim.analysis.statistics.estimate import Estimate
from mobilesim.analysis.summary.metrics import DELIVERIES
from mobilesim.analysis.summary.model import Correctness, DelayCheck, Experiment, ProtocolSummary, Summary
from mobilesim.results.quantities import BYTE_PURPOSES, DELAY_PARTS, HANDOFF_STAGES, RUN_COUNTS

MS = 1_000_000


def estimate(mean: float, half: float | None = None, runs: tuple[float, ...] = (), **more: Any) -> Estimate:  # noqa: ANN401
    low, high = (None, None) if half is None else (mean - half, mean + half)
    return Estimate("", 100, mean, low, high, replications=tuple(range(len(runs))), run_means=runs, **more)


_HANDOFF_MEANS: Final = {
    "request_messages": 1.0,
    "request_bytes": 36.0,
    "state_transfer_messages": 1.0,
    "state_transfer_bytes": 264.0,
    "notify_messages": 0.0,
    "backlog": 0.0,
}


def protocol(
    name: str = "av1",
    correctness: Correctness = Correctness.CORRECT,
    scale: float = 1.0,
    **facts: Any,  # noqa: ANN401 - of the fields' own types
) -> ProtocolSummary:
    # The first two parts are zero, the others 1 to 10: their sum is the mean delay of 55.
    parts = {part: estimate(scale * MS * max(place, 0)) for place, part in enumerate(DELAY_PARTS, -1)}
    delays = tuple(int(scale * MS * percent) for percent in range(1, 102))
    runs = (scale * 54 * MS, scale * 56 * MS)
    about = {
        DELIVERIES: Estimate(DELIVERIES, 100),
        "delay": estimate(scale * 55 * MS, MS, runs, percentiles=delays),
        "move.time": estimate(30 * MS, MS, percentiles=delays),
        "move.finished": estimate(1.0),
        "move.control_messages": estimate(2.0),
        "move.control_bytes": estimate(300.0),
        **{f"move.{stage}": estimate(6 * MS) for stage in HANDOFF_STAGES},
        **{f"move.{name}": estimate(mean) for name, mean in _HANDOFF_MEANS.items()},
        "inhibited": estimate(0.25),
        "header_bytes": estimate(400.0),
    }
    traffic = {f"{medium}.{purpose}": estimate(50.0) for medium in ("wired", "wireless") for purpose in BYTE_PURPOSES}
    totals = {f"{medium}.total": estimate(250.0) for medium in ("wired", "wireless")}
    counts = {
        **dict.fromkeys(RUN_COUNTS, 0),
        "messages": 50,
        "judged": 100,
        **{name: facts.pop(name) for name in RUN_COUNTS if name in facts},
    }
    estimates: Mapping[str, Estimate] = parts | about | traffic | totals
    fixed: dict[str, Any] = {
        "placement": "proxy",
        "ordering": "rst",
        "options": "{}",
        "description": "matrix of sends; a process per host, at its station; its state migrates",
        "paper": "Raynal, Schiper & Toueg 1991",
        "claims_causal": correctness in {Correctness.CORRECT, Correctness.INCORRECT},
        "claims_fifo": correctness in {Correctness.CORRECT, Correctness.INCORRECT},
        "verdicts": ("ok",),
        "runs": 2,
        "interrupted": 0,
        "failed": 0,
        "counts": counts,
        "estimates": estimates,
    }
    return ProtocolSummary(name=name, correctness=correctness, **(fixed | facts))


def summary(*protocols: ProtocolSummary, scenario: str = "quickstart") -> Summary:
    experiment = Experiment(scenario, "cafe", (7,), 50, 9, 2, 60_000 * MS, "0.1.0", "3.11.7", 3.2)
    return Summary(Path("results/here"), experiment, protocols, DelayCheck(200, 0, None))


def behind(name: str) -> ProtocolSummary:
    plain = protocol(name)
    more = {
        "move.notify_messages": estimate(9.0),
        "move.notify_bytes": estimate(4096.0),
        "move.backlog": estimate(0.25, runs=(0.2, 0.3)),
        "move.backlog_peak": estimate(2.5, runs=(2.0, 3.0)),
        "station.copies_peak": estimate(12.0),
        "station.copies_end": estimate(0.0),
    }
    return protocol(name, estimates={**plain.estimates, **more})


def off(name: str, dropped: int = 0, waiting: float = 2.5) -> ProtocolSummary:
    seen = {
        "disconnection.time": Estimate("", 19, 1_500.0 * MS, 1_400.0 * MS, 1_600.0 * MS),
        "disconnection.waiting": Estimate("", 20, waiting),
        "disconnection.draining": Estimate("", 18, 40.0 * MS),
        "disconnection.dropped": Estimate("", 20, dropped / 20),
    }
    return protocol(name, dropped=dropped, estimates={**protocol().estimates, **seen})


def powered(name: str = "av1", died: int | None = None, **facts: Any) -> ProtocolSummary:  # noqa: ANN401
    """Return a summary of a protocol with radios that use energy. `died`: how many of 50 batteries are empty."""
    joules = {**{f"energy.{purpose}": estimate(0.001) for purpose in BYTE_PURPOSES}, "energy.idle": estimate(0.074)}
    seen = {**joules, "host.energy": estimate(0.08, 0.002)}
    if died is not None:
        first = 60e9 if died else None
        seen["host.life"] = estimate(80e9)
        seen["host.died"] = Estimate("host.died", 50, float(died), run_means=(float(died),))
        seen["host.first_death"] = Estimate("host.first_death", died, first, run_means=(first,) if first else ())
    return protocol(name, **({"estimates": {**protocol().estimates, **seen}} | facts))


def linked(name: str = "rst", **facts: Any) -> ProtocolSummary:  # noqa: ANN401
    """Return a summary of a protocol in a static network, which has no wireless channels, stations or hand-offs."""
    there = {"uplink_queue": 2.0, "wired": 20.0, "causal_wait": 1.0}
    absent = {key for key in protocol().estimates if key.startswith("move.")}
    plain = {key: each for key, each in protocol().estimates.items() if key not in absent}
    zero = {key: estimate(0.0) for key in plain if key in DELAY_PARTS or key.startswith("wireless.")}
    none = {f"wired.{purpose}": estimate(0.0) for purpose in ("handoff", "location", "control", "ack")}
    parts = {part: estimate(mean * MS) for part, mean in there.items()}
    return protocol(name, **({"estimates": {**plain, **zero, **none, **parts}} | facts))


def mesh(*protocols: ProtocolSummary) -> Summary:
    moving = summary(*protocols)
    return replace(moving, experiment=replace(moving.experiment, stations=0))
