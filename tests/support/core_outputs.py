"""`python -m tests.support.core_outputs FOLDER`: what the core on the path computes, as one JSON document."""

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout
from functools import partial
from hashlib import sha256
from io import StringIO
from pathlib import Path
from typing import Any, Final

import pyarrow.parquet as pq
import pytest

from mobilesim.api.protocol_choices import named_row
from mobilesim.cli.main import main
from mobilesim.experiments.execute import execute
from mobilesim.experiments.executors import never
from mobilesim.experiments.run import Run
from mobilesim.explorer.api import explore, homes_of
from mobilesim.explorer.counterexample_text import listing
from mobilesim.explorer.untimed_world import Bounds, SystemBuilder, build_system
from mobilesim.oracle.verdicts import FaultKind
from mobilesim.protocols import catalogue
from mobilesim.protocols.catalogue_rows import OptionValue, OrderingRow
from mobilesim.protocols.machine import System
from mobilesim.protocols.orderings.rst import Rst, RstProcess
from mobilesim.results.run_directory import prepare_directory
from mobilesim.results.version import running_core
from mobilesim.scenario import bundled
from mobilesim.scenario.model import Scenario
from tests.support.mutants.catalogue import BROKEN
from tests.support.orderings.released_at_send import AfterSend
from tests.support.short_forms import SHORTER
from tests.support.simulations import KeepSimulation

EXPLORED: Final = {
    "av1": Bounds(2, 1),
    "av2": Bounds(1, 1),
    "av3": Bounds(1, 1),
    "ab": Bounds(1, 1),
    "prs": Bounds(1, 1),
    "rst": Bounds(2, 1),
    "proxy+ks": Bounds(2, 1),
    "proxy+transport": Bounds(2, 0),
    "unordered": Bounds(2, 0),
}
MUTANTS: Final = ("no-forwarding", "unraised", "misdirected")
"""The broken variants that are explored: of a station, of an ordering with multicasts, and of a flush."""
REDUCED: Final = {**SHORTER, "stress/ten-thousand-hosts": ("--set", "hosts=1000")}
"""Settings of the scenarios whose short forms take longest."""


def tables(folder: Path) -> dict[str, str]:
    """Return a digest of each table of each shipped scenario in its short form (`--quick`)."""
    found: dict[str, str] = {}
    for name in bundled.names():
        directory = folder / name
        with redirect_stdout(StringIO()):
            options = ("--quick", "--no-summary", "--replications", "1", *REDUCED.get(name, ()))
            code = main(["run", name, *options, "--out", str(directory)])
        paths = sorted(directory.glob("*/*.parquet"))
        found |= {path.relative_to(folder).as_posix(): sha256(content(path)).hexdigest() for path in paths}
        found[name] = f"exit code {code}, {len(paths)} tables"
    return found


def content(path: Path) -> bytes:
    """Return the bytes of a table; of the table `runs`, the rows without the duration of the computation."""
    if path.parent.name != "runs":
        return path.read_bytes()
    return repr(pq.ParquetFile(path).read().drop_columns("wall_seconds").to_pylist()).encode()


def explored(build: SystemBuilder, homes: Sequence[int], bounds: Bounds, stations: int = 2) -> list[Any]:
    """Return the sizes of a reduced and of a plain search, with the text of the schedule that they found."""
    found: list[Any] = []
    for reduced in (True, False):
        search = explore(build, stations, tuple(homes), bounds, reduced=reduced)
        system = build_system(build, stations, tuple(homes), None, bounds.groups)
        text = listing(system, homes, bounds, search.schedule)
        found.append((search.ending, search.states, search.transitions, search.depth, text))
    return found


def released_by_sends() -> dict[str, list[Any]]:
    """Return explorations of an interpreted ordering whose sends release messages, under every placement."""
    bounds = Bounds(2, 0, tolerated=frozenset({FaultKind.LOST, FaultKind.KEPT}))
    return {
        f"{name} after a send": explored(partial(_after_send, row.load()), homes_of(2, 2), bounds)
        for name, row in catalogue.PLACEMENTS.items()
    }


def _after_send(
    place: Callable[..., System], stations: int, homes: tuple[int, ...], options: Mapping[str, OptionValue]
) -> System:
    return place(stations, homes, AfterSend, **options)


def explorations() -> dict[str, list[Any]]:
    known = {name: explored(named_row(name).build, homes_of(2, 2), bounds) for name, bounds in EXPLORED.items()}
    mutants = {name: BROKEN[name] for name in MUTANTS}
    known |= released_by_sends()
    return known | {name: explored(it.build, it.homes, it.bounds, it.stations) for name, it in mutants.items()}


class Forgetful(Rst):
    """An ordering with processes that do not know what is sent to them: a method of the core raises KeyError."""

    def process(self, index: int) -> RstProcess:
        process = super().process(index)
        process.incoming = {}
        return process


FAILING: Final = {"forgetful": (__name__, "Forgetful"), "broken": ("tests.support.broken_ordering", "Broken")}


def failures(folder: Path) -> dict[str, str | None]:
    """Return the descriptions of the failures of two orderings."""
    prepare_directory(folder)
    return {name: failure(name, *origin, folder) for name, origin in FAILING.items()}


def failure(name: str, module: str, symbol: str, folder: Path) -> str | None:
    row = OrderingRow(name=name, title="-", paper="-", header="0", module=module, symbol=symbol)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(catalogue, "ORDERINGS", {**catalogue.ORDERINGS, name: row})
        settings = {"hosts": 3, "cells": 2, "duration": "4 s", "protocols": (f"proxy+{name}",)}
        scenario = Scenario.model_validate(settings)
        return execute(Run(scenario, scenario.protocols[0], 0), folder, KeepSimulation(), never).fault


def outputs(folder: Path) -> dict[str, Any]:
    return {
        "core": running_core(),
        "tables": tables(folder / "tables"),
        "explorations": explorations(),
        "failures": failures(folder / "failures"),
    }


if __name__ == "__main__":
    sys.stdout.write(json.dumps(outputs(Path(sys.argv[1])), indent=1))
