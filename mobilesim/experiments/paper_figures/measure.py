"""One run of a figure, in memory: what it was on average, and nothing of single messages."""

import gc
from array import array
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import process_time
from typing import Final, cast

import numpy as np

from mobilesim.experiments import clock_comparison
from mobilesim.experiments.run import Outcome, Run, assemble, world_of
from mobilesim.oracle.fault_attribution import protocols_fault
from mobilesim.recording import delay_parts
from mobilesim.recording.message_timeline import Sink
from mobilesim.results.quantities import BYTE_PURPOSES, DELAY_PARTS
from mobilesim.results.statuses import RunStatus
from mobilesim.simulation.simulation import Simulation

METRICS: Final = ("delay", *DELAY_PARTS, "header_integers", "header_units", "header_bytes")
CARRIED: Final = ("packets", "bytes", *(f"{purpose}_bytes" for purpose in BYTE_PURPOSES))
"""What all links together have carried, for each delivery; `link_packets` and so on."""

_STEPS: Final = 5_000


@dataclass(frozen=True, slots=True)
class Measurement:
    """Of a run that was played to its end. `means` are for each delivery, or of clocks that look on.

    `busiest` is a station's share of busy time; `seconds` are of processor time.
    """

    run: str
    verdict: str
    messages: int
    deliveries: int
    busiest: float
    seconds: float
    means: Mapping[str, float]


def measure(run: Run, stop: Callable[[], bool] = lambda: False) -> Measurement | None:
    """None once `stop` says so: a run that was cut short would be another experiment."""
    rows = array("q")
    simulation = assemble(run, world_of(run), lambda: Sink(rows.fromlist, _unheeded))
    start = process_time()
    fault = None
    gc.collect()
    gc.disable()  # as in `mobilesim.experiments.run`: a run makes no cycles
    try:
        while simulation.advance(_STEPS):
            if stop():
                return None
    except Exception as error:
        fault = protocols_fault(error)
        if fault is None:
            raise
    finally:
        gc.enable()
    return _measurement(run, simulation, rows, process_time() - start, fault)


def _unheeded(_row: list[int], _items: tuple[int, ...]) -> None: ...


def _measurement(
    run: Run, simulation: Simulation, rows: "array[int]", seconds: float, fault: str | None
) -> Measurement:
    oracle = simulation.oracle
    assert oracle is not None
    lost = 0 if fault else sum(1 for _ in oracle.lost())
    outcome = Outcome(run, RunStatus.FAILED if fault else RunStatus.COMPLETE, simulation, seconds, fault, lost)
    return Measurement(
        run.id,
        outcome.verdict,
        *simulation.measured,
        simulation.busiest,
        round(seconds, 3),
        _means(run, rows, simulation),
    )


def _means(run: Run, rows: "array[int]", simulation: Simulation) -> dict[str, float]:
    if not rows:
        return {}
    journeys = np.frombuffer(rows, np.int64).reshape(-1, len(delay_parts.PLACES))
    found = delay_parts.columns(journeys, at_host=run.at_host, integer=run.scenario.sizes.integer)
    means = {name: float(found[name].mean()) for name in METRICS}
    assert simulation.watch is not None
    links = cast("list[dict[str, int]]", simulation.census(simulation.watch)["links"])
    means |= {f"link_{name}": sum([link[name] for link in links]) / len(journeys) for name in CARRIED}
    return means | clock_comparison.means(simulation.oracle)
