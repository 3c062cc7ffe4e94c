"""One run of a point of `benchmarks.growth`."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow.parquet as pq

from benchmarks.growth_points import Point, scenario
from benchmarks.simulator import CpuMeter
from mobilesim.experiments.execute import execute
from mobilesim.experiments.run import Run, RunOutcome
from mobilesim.results.run_directory import prepare_directory


class GrowthMeter(CpuMeter):
    """A meter that refuses overloaded runs: their queues grow, and so does the memory of the simulator."""

    def finished(self, outcome: RunOutcome) -> None:
        super().finished(outcome)
        if outcome.overload is not None:
            raise AssertionError(f"{outcome.run.choice.label} with {outcome.run.scenario.hosts} hosts is overloaded")


def measure(point: Point, *, moving: bool) -> dict[str, Any]:
    """Return the CPU time in seconds, the peak memory in bytes and the number of hand-offs of a run."""
    chosen = scenario(point, moving=moving)
    meter = GrowthMeter()
    with TemporaryDirectory(prefix="mobilesim-benchmark-") as folder:
        directory = Path(folder) / "results"
        prepare_directory(directory)
        execute(Run(chosen, chosen.protocols[0], 0), directory, meter)
        handoffs = sum(pq.read_metadata(file).num_rows for file in (directory / "handoffs").glob("*.parquet"))
    return {"seconds": meter.seconds, "peak": meter.memory[-1][1], "handoffs": handoffs}
