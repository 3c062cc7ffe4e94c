"""The computing time that the missing runs of a sweep will take, from earlier runs or from a pilot."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from tempfile import TemporaryDirectory
from time import process_time
from typing import Final

from mobilesim.errors import UserError, counted
from mobilesim.experiments.assemble import WORLDS
from mobilesim.experiments.execute import execute
from mobilesim.experiments.run import Run, RunOutcome
from mobilesim.experiments.sweep.plan import Configuration, Plan
from mobilesim.results.schema import TABLES
from mobilesim.results.statuses import RunStatus
from mobilesim.results.sweeps.sweep_directory import SweepDirectory
from mobilesim.scenario.model import Scenario

_POINTS: Final = 3
"""The number of points at which a pilot runs each protocol."""
_SECONDS: Final = 0.25
"""The computing time after which a run of the pilot is ended."""


@dataclass(frozen=True, slots=True)
class Cost:
    """`missing`: the number of missing runs. `source`: `earlier runs` or `pilot`. `runs`: their number."""

    cpu_seconds: float
    missing: int
    source: str
    runs: int

    @property
    def text(self) -> str:
        seconds = f"{self.cpu_seconds:.2g}" if self.cpu_seconds < 10 else f"{self.cpu_seconds:,.0f}"
        how = f"a pilot of {counted(self.runs, 'short run')}"
        if self.source != "pilot":
            how = f"{counted(self.runs, 'earlier run')} in this directory"
        return f"about {seconds} CPU seconds for {counted(self.missing, 'missing run')}, estimated from {how}"


def estimate_cost(plan: Plan, store: SweepDirectory) -> Cost | None:
    """Return the estimate; None if no run is missing, or if no run of the pilot is possible."""
    missing = [
        each.protocol
        for each in plan.configurations
        for number in range(plan.replications.at_least)
        if not store.done(each.run(number))
    ]
    if not missing:
        return None
    source, seconds = "earlier runs", _earlier(store)
    if not seconds.keys() >= set(missing):
        source, seconds = "pilot", _pilot(plan, set(missing))
    if not seconds:
        return None
    runs = sum(len(each) for each in seconds.values())
    means = {protocol: fmean(each) for protocol, each in seconds.items()}
    usual = fmean(means.values())
    return Cost(sum(means.get(protocol, usual) for protocol in missing), len(missing), source, runs)


def _earlier(store: SweepDirectory) -> dict[str, list[float]]:
    found: dict[str, list[float]] = {}
    for record in store.records.values():
        if record.complete:
            found.setdefault(record.protocol, []).append(record.seconds)
    return found


def _pilot(plan: Plan, protocols: Iterable[str]) -> dict[str, list[float]]:
    """Begin the first replication at a few points, in a temporary directory, and extrapolate to whole runs."""
    chosen = set(_spread([point.text for point in plan.grid.points]))
    found: dict[str, list[float]] = {}
    with TemporaryDirectory(prefix="mobilesim-") as folder:
        for table in TABLES:
            (Path(folder) / table).mkdir()
        for each in plan.configurations:
            if each.protocol in protocols and each.point.text in chosen:
                found.setdefault(each.protocol, []).extend(_extrapolated(each, Path(folder)))
    return {protocol: seconds for protocol, seconds in found.items() if seconds}


def _spread(texts: Sequence[str]) -> list[str]:
    """Return the first, the middle and the last text."""
    last = len(texts) - 1
    return [texts[round(place * last / (_POINTS - 1))] for place in range(_POINTS)]


def _extrapolated(configuration: Configuration, folder: Path) -> Iterator[float]:
    scenario = configuration.point.scenario
    start = process_time()
    try:
        run = Run(scenario, scenario.protocols[configuration.index], 0, configuration.point.text)
        outcome = execute(run, folder, stop=_after(start + _SECONDS), worlds=WORLDS)
    except UserError:
        return  # the sweep will report this run as failed
    yield (process_time() - start) / max(_share(scenario, outcome), 1e-6)


def _after(end: float) -> Callable[[], bool]:
    return lambda: process_time() > end


def _share(scenario: Scenario, outcome: RunOutcome) -> float:
    """Return the share of the run that was simulated: 1 for a whole run."""
    if outcome.status is not RunStatus.INTERRUPTED:
        return 1.0
    ends = (
        (outcome.messages, scenario.messages),
        (outcome.deliveries, scenario.deliveries),
        (outcome.simulated, scenario.duration),
    )
    return min(1.0, max((done / whole for done, whole in ends if whole), default=1.0))
