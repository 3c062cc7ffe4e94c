"""Tapes for users of Python: replay a run, open a file, look at the events, and export them."""

from html import escape
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa

from mobilesim.api.interrupts import Interruption
from mobilesim.api.progress import Progress
from mobilesim.api.table import Table
from mobilesim.api.tapes.tape_view import TapeView
from mobilesim.errors import UserError, counted, is_python_call, parameter
from mobilesim.experiments.replay import Part, recorded_run, recorded_scenario, replay
from mobilesim.results.run_directory import safe_name
from mobilesim.scenario.values.units import TIME
from mobilesim.simulation.simulation import Simulation
from mobilesim.tape.events import ENDLESS, KINDS, NONE, Tape
from mobilesim.tape.exports.formats import FORMATS, export
from mobilesim.tape.tape_file import read_tape, write_tape

SUFFIX: Final = ".tape"


class RecordedTape:
    """The events of a run or of a counter-example, one by one.

    >>> import mobilesim as ms
    >>> results = ms.run("quickstart", quick=True, replications=1, protocols=["av1"])
    >>> tape = results.replay("av1", since="1 s", until="1.2 s")
    >>> tape.events.arrow()["event"].to_pylist().count("delivered")
    106
    """

    def __init__(self, tape: Tape) -> None:
        self.tape = tape

    @property
    def events(self) -> Table:
        """A row for each event. docs/tape.md explains the columns."""
        return Table("events", lambda: _table(self.tape))

    def save(self, path: str | Path) -> Path:
        """Write the tape to a Parquet file, and return its path."""
        write_tape(self.tape, Path(path))
        return Path(path)

    def export(self, format: str, path: str | Path) -> Path:  # noqa: A002 - the usual name
        """Write the tape for another program, and return the path. Formats: shiviz, perfetto, csv, graphml."""
        if format not in FORMATS:
            raise UserError(f"{parameter('format')} {format!r}: expected one of {', '.join(FORMATS)}")
        export(self.tape, format, Path(path))
        return Path(path)

    def view(self) -> TapeView:
        """Return the page that shows the events: a notebook displays it, and `tape.view().save(path)` writes it."""
        return TapeView(self.tape)

    def __len__(self) -> int:
        return len(self.tape)

    def __str__(self) -> str:
        header = self.tape.header
        numbers = np.bincount(self.tape.columns["event"], minlength=len(KINDS)).tolist()
        counts = ", ".join(f"{number:,} {kind.value}" for kind, number in zip(KINDS, numbers, strict=True) if number)
        title = f"{header.run['scenario']}, {header.run['protocol']} #{header.run['replication']}"
        return f"<tape of {title}: {counted(len(self), 'event')}: {counts}>"

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"


def open_tape(path: str | Path) -> RecordedTape:
    """Open a tape that was saved before."""
    return RecordedTape(read_tape(Path(path)))


def replayed(
    directory: Path,
    protocol: str | None = None,
    replication: int = 0,
    since: str | None = None,
    until: str | None = None,
    *,
    progress: bool = False,
) -> RecordedTape:
    """Execute a run of a results directory again, and return its tape."""
    from mobilesim.analysis.sweeps.one_run import find_run

    scenario, part = recorded_scenario(directory), part_of(since, until)
    recorded = find_run(directory, protocol, replication).row
    run = recorded_run(scenario, recorded)
    title = f"{run.choice.label} #{replication}"
    with Progress(quiet=not progress).meter(title) as meter, Interruption().noted() as stop:

        def show(simulation: Simulation) -> None:
            meter.fraction(simulation.progress)

        return RecordedTape(replay(run, recorded, part, show, stop))


def part_of(since: str | None, until: str | None) -> Part:
    """Return the part of a run between two times, such as `10 s`. Without a time it begins or ends with the run."""
    begin = 0 if since is None else _time(_begin(), since)
    end = ENDLESS if until is None else _time(parameter("until"), until)
    if end < begin:
        raise UserError(f"{parameter('until')} {until}: is before {_begin()} {since}")
    return Part(begin, end)


def tape_of(source: Path, protocol: str | None, replication: int, since: str | None, until: str | None) -> RecordedTape:
    """Return the tape of a file, or of a run of a results directory, which is replayed."""
    if source.is_dir():
        return replayed(source, protocol, replication, since, until, progress=True)
    if not source.is_file():
        raise UserError(f"{source}: neither a results directory nor a tape; `mobilesim run` makes results")
    if protocol or replication or since or until:
        raise UserError(f"{source}: is a tape of one run; a protocol, a replication and a part are chosen by `replay`")
    return open_tape(source)


def file_name(tape: RecordedTape, suffix: str) -> str:
    """Return the default name of a file for a tape."""
    run = tape.tape.header.run
    return safe_name(f"{run['scenario']}-{run['protocol']}-{run['replication']}") + suffix


def _begin() -> str:
    """Return the name of the begin of a part, which Python cannot call `from`."""
    return parameter("since" if is_python_call() else "from")


def _time(name: str, text: str) -> int:
    try:
        return int(TIME.read(text))
    except ValueError as error:
        raise UserError(f"{name}: {error}") from None


def _table(tape: Tape) -> pa.Table:
    columns: dict[str, pa.Array] = {}
    for name, numbers in tape.columns.items():
        missing = numbers == NONE
        if name in {"node", "peer"}:
            columns[name] = pa.array([None if node == NONE else tape.node_name(node) for node in numbers.tolist()])
        elif name == "event":
            columns[name] = pa.array([KINDS[number].value for number in numbers.tolist()])
        elif name == "name":
            columns[name] = pa.array([tape.names[number] or None for number in numbers.tolist()], pa.string())
        else:
            columns[name] = pa.array(numbers, mask=missing if name not in {"time", "until"} else None)
    return pa.table(columns)
