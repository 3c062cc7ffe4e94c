"""Results of runs and of sweeps: tables, verdicts, numbers with intervals, figures and reports."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING, NoReturn
from weakref import finalize

from mobilesim.api.figures import RunFigures
from mobilesim.api.table import Table
from mobilesim.errors import UserError, counted, python_call
from mobilesim.results.layout import REPORT, SWEEP
from mobilesim.results.location import Location, checked_location, visible_entries

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

    from mobilesim.analysis.summary.model import Summary
    from mobilesim.analysis.sweeps.model import SweepSummary
    from mobilesim.api.tapes.recorded_tape import RecordedTape
    from mobilesim.causes.explanation import Explanation
    from mobilesim.causes.questions import Explanations
    from mobilesim.causes.tables import RunTables
    from mobilesim.causes.undelivered import Undelivered


class _Results:
    """The tables of a results directory. Each has the columns `run_id`, `protocol` and `replication`."""

    def __init__(self, directory: Location, *, temporary: bool = False) -> None:
        """`temporary`: remove the directory when these results are no longer used."""
        self.directory = directory
        self._is_temporary = temporary
        self._identity = b"" if temporary else self._identified()
        if temporary:
            finalize(self, rmtree, str(directory), ignore_errors=True)

    @property
    def runs(self) -> Table:
        """A row for each run: status, verdict, counts."""
        return self._table("runs")

    @property
    def deliveries(self) -> Table:
        """A row for each delivery: its delay and the parts of the delay."""
        return self._table("deliveries", self._check_deliveries)

    @property
    def messages(self) -> Table:
        """A row for each message: its sender, destinations and control information."""
        return self._table("messages")

    @property
    def handoffs(self) -> Table:
        """A row for each hand-off: its phases and packets."""
        return self._table("handoffs")

    @property
    def disconnections(self) -> Table:
        """A row for each disconnection of a host."""
        return self._table("disconnections")

    @property
    def hosts(self) -> Table:
        """A row for each host: the bytes and times of its radio and its processor, and its energy."""
        return self._table("hosts")

    @property
    def stations(self) -> Table:
        """A row for each station: its processing and storage."""
        return self._table("stations")

    @property
    def links(self) -> Table:
        """A row for each link: its packets and bytes by purpose."""
        return self._table("links")

    @property
    def clocks(self) -> Table:
        """A row for each passive clock and run."""
        return self._table("clocks")

    def spark(self) -> "SparkSession":
        """Register a temporary view in Spark for each table, and return the session, for SQL.

        The views have the columns of the tables, and `point`, a map from the varied keys of a sweep to their values.
        The session is the running one, or a local one, which ends with the program.
        """
        from mobilesim.api.spark_sessions import register_views
        from mobilesim.results.schema import TABLES

        return register_views(getattr(self, name) for name in ("runs", *(TABLES.keys() - {"runs"})))

    @python_call()
    def why(
        self,
        message: int,
        host: int | None = None,
        *,
        protocol: str | None = None,
        replication: int = 0,
        point: Mapping[str, object] | None = None,
    ) -> "Explanation | Undelivered":
        """Return why the delivery of a message to a host took so long, or why the message was not delivered.

        `host` may be missing if the message has one destination, and `protocol` if there is only one. `point`: the
        values of a sweep's varied keys.
        """
        from mobilesim.causes.questions import why

        return why(self._run_tables(protocol, replication, point), message, host)

    @python_call()
    def latest(
        self,
        count: int = 10,
        *,
        protocol: str | None = None,
        replication: int = 0,
        point: Mapping[str, object] | None = None,
    ) -> "Explanations":
        """Return why the deliveries with the longest delays took so long."""
        from mobilesim.causes.questions import latest

        return latest(self._run_tables(protocol, replication, point), count)

    def _run_tables(self, protocol: str | None, replication: int, point: Mapping[str, object] | None) -> "RunTables":
        from mobilesim.analysis.sweeps.one_run import find_run
        from mobilesim.causes.tables import RunTables

        self._check()
        found = find_run(self.directory, protocol, replication, point)
        return RunTables(found, found.row)

    def _table(self, name: str, check_rows: Callable[["pa.Table"], None] = lambda _: None) -> Table:
        owner = self if self._is_temporary else None
        return Table.of_files(self.directory / name, self._check, owner, check_rows)

    def _check_deliveries(self, deliveries: "pa.Table") -> None:
        """Compare the number of rows of each run with the number in `runs`."""
        recorded: Counter[str] = Counter()
        for row in self.runs.arrow().select(["run_id", "deliveries"]).to_pylist():
            recorded[row["run_id"]] += row["deliveries"]
        found = {row["values"]: row["counts"] for row in deliveries["run_id"].value_counts().to_pylist()}
        for run, rows in recorded.items():
            if found.get(run, 0) != rows:
                what = f"{counted(found.get(run, 0), 'row')} of run '{run}', expected {rows:,}"
                raise UserError(f"{self.directory / 'deliveries'}: {what}; run the scenario again")

    def _distinguishing_files(self) -> Sequence[Location]:
        """Return small files that differ from those of any other run in the same directory."""
        raise NotImplementedError

    def _identified(self) -> bytes:
        """Return a digest of these files; b"" if there are none."""
        try:
            content = [(path.name, path.read_bytes()) for path in self._distinguishing_files()]
        except FileNotFoundError:
            content = []
        return sha256(repr(content).encode()).digest() if content else b""

    def _check(self) -> None:
        """Raise if another run has replaced the files of these results, which are read when they are first used."""
        if not self._is_temporary and (found := self._identified()) != self._identity:
            remedy = "open them again with ms.open, or give each run its own directory"
            what = f"another run has replaced these results; {remedy}" if found else "these results were removed"
            raise UserError(f"{self.directory}: {what}")


class RunResults(_Results):
    """The results of a scenario's runs.

    >>> import mobilesim as ms
    >>> results = ms.run("quickstart", quick=True, replications=2, protocols=["av1", "fifo"])
    >>> results.verdicts
    {'av1': 'correct', 'fifo': 'correct, not causal'}
    >>> delay = results.summary["av1"]["delay"]
    >>> delay.low < delay.mean < delay.high
    True
    """

    def __init__(
        self,
        directory: Location,
        notes: Sequence[str] = (),
        *,
        temporary: bool = False,
    ) -> None:
        super().__init__(directory, temporary=temporary)
        self.notes = tuple(notes)
        """Warnings about the scenario."""

    def _distinguishing_files(self) -> Sequence[Location]:
        return visible_entries(self.directory / "runs")  # they have wall-clock times

    @cached_property
    def summary(self) -> "Summary":
        """The numbers of the command line, with intervals. `summary["av1"]["delay"].mean` is in nanoseconds."""
        self._check()
        from mobilesim.analysis.summary.model import assemble
        from mobilesim.analysis.summary.pooling import estimates_here
        from mobilesim.analysis.summary.results_reader import read_results

        found = read_results(self.directory)
        (estimates,) = estimates_here(found.runs, lambda _: None).values()
        return assemble(found, estimates)

    @property
    def verdicts(self) -> dict[str, str]:
        """By protocol, what the oracle found."""
        return {protocol.name: str(protocol.correctness) for protocol in self.summary.protocols}

    @property
    def summary_tables(self) -> dict[str, Table]:
        """The tables of the summary by name: `protocols`, `parts`, `handoffs`, `traffic`, `clocks`."""
        from mobilesim.analysis.summary.tables import tables

        return {name: Table.of_arrow(name, content) for name, content in tables(self.summary).items()}

    @property
    def figures(self) -> RunFigures:
        """The figures of the report as Plotly figures."""
        return RunFigures(self.summary)

    def replay(
        self, protocol: str | None = None, replication: int = 0, *, since: str | None = None, until: str | None = None
    ) -> "RecordedTape":
        """Execute a run again, and return its tape: every packet, frame, wait, move and phase of a hand-off.

        `protocol` may be omitted if there is only one. `since`, `until`: a part of the run, such as '10 s'.
        """
        from mobilesim.api.tapes.recorded_tape import replayed

        if not isinstance(self.directory, Path):
            raise UserError(f"replay: {self.directory} is an address; copy the results to this machine")
        self._check()
        with python_call():
            return replayed(self.directory, protocol, replication, since, until)

    def report(self, path: "str | None" = None) -> Location:
        """Write the report, one HTML file, and return its path; by default, `report.html` beside the tables.

        Results in a temporary directory need a path.
        """
        if path is None and self._is_temporary:
            raise UserError("report: these results are temporary; name a file, such as results.report('report.html')")
        if path is None:
            self._check()
        from mobilesim.analysis.report.run_page import page
        from mobilesim.analysis.summary.publish import write_text

        target = self.directory / REPORT if path is None else checked_location(path)
        write_text(target, page(self.summary))
        return target

    def __str__(self) -> str:
        from mobilesim.api.summary_text import numbers_text

        return numbers_text(self.summary)

    def __repr__(self) -> str:
        return f"<results of {self.summary.experiment.scenario}: {', '.join(self.verdicts)}>"

    def _repr_html_(self) -> str:
        """Return the key figures and verdicts for a notebook."""
        from mobilesim.analysis.summary.verdict_text import without_deliveries
        from mobilesim.api.notebook import html_table, paragraphs
        from mobilesim.api.summary_text import key_rows

        head, *rows = key_rows(self.summary)
        return html_table(head, rows, len(rows)) + paragraphs(without_deliveries(self.summary))


class SweepResults(_Results):
    """The results of a sweep or a study."""

    def __init__(
        self,
        directory: Location,
        summary: "SweepSummary | None" = None,
        *,
        temporary: bool = False,
    ) -> None:
        super().__init__(directory, temporary=temporary)
        self._summary = summary

    @property
    def summary(self) -> "SweepSummary":
        """The summaries of all points, and the differences between protocols and between variants.

        Results that were opened are summarized in Spark when their numbers are first used. This writes no file; the
        command `mobilesim summarize` writes the directory `summary` and the report.
        """
        if self._summary is None:
            from mobilesim.analysis.pipeline.summarize import sweep_summary

            self._check()
            self._summary = sweep_summary(self.directory)
        return self._summary

    def _distinguishing_files(self) -> Sequence[Location]:
        return [self.directory / SWEEP]

    @property
    def summary_tables(self) -> dict[str, Table]:
        """The tables of the summary by name."""
        from mobilesim.analysis.sweeps.tables import tables

        return {name: Table.of_arrow(name, content) for name, content in tables(self.summary).items()}

    def __getattr__(self, name: str) -> NoReturn:
        """Raise: the figures and verdicts of a scenario have one value for a protocol, a sweep one for each point."""
        advice = "; frame(METRIC) and summary_tables have the values at each point" if hasattr(RunResults, name) else ""
        raise AttributeError(f"the results of a sweep have no '{name}'{advice}", name=name, obj=self)

    def frame(self, metric: str, by: Sequence[str] | None = None) -> Table:
        """Return a metric at every point as a table, with its interval.

        `by`: the columns for the point and the protocol, `protocol` and keys that vary; by default, all of them. Points
        that differ in other keys are left in, one row each.
        """
        import pyarrow as pa

        from mobilesim.analysis.summary.metrics import METRICS
        from mobilesim.analysis.sweeps.metrics import of_protocol, protocol_names

        summary = self.summary
        keys = [*summary.keys, "protocol"]
        columns = list(keys if by is None else by)
        if unknown := [name for name in columns if name not in keys]:
            raise UserError(f"by: {unknown[0]!r} does not vary in this sweep; there are {', '.join(keys)}")
        rows: list[dict[str, object]] = []
        for name in protocol_names(summary.points):
            for point, protocol in of_protocol(summary.points, name):
                value = METRICS[metric].value(protocol) if metric in METRICS else protocol[metric]
                about: dict[str, object] = {**dict(zip(summary.keys, point, strict=True)), "protocol": name}
                ends = {"mean": value.mean, "low": value.low, "high": value.high}
                rows.append({**{column: about[column] for column in columns}, **ends})
        for key in set(columns) & set(summary.keys):
            _use_numbers(rows, key)
        return Table.of_arrow(metric, pa.Table.from_pylist(rows))

    def __str__(self) -> str:
        from functools import partial

        from mobilesim.api.text_tables import indented

        lines = [*self.summary.numbers(partial(indented, width=None))]
        if self._is_temporary:
            lines += [
                "temporary results, removed when this object or the process ends; `out=` keeps them in a directory"
            ]
        return "\n".join(lines)

    def __repr__(self) -> str:
        summary = self.summary
        size = f"{counted(len(summary.points), 'point')}, {counted(summary.runs, 'run')}"
        return f"<results of {summary.experiment.scenario}: {size}>"


def _use_numbers(rows: Sequence[dict[str, object]], key: str) -> None:
    """Replace the texts of a column by numbers if all of them are numbers without units."""
    try:
        numbers = [float(str(row[key])) for row in rows]
    except ValueError:
        return
    whole = all(number.is_integer() for number in numbers)
    for row, number in zip(rows, numbers, strict=True):
        row[key] = int(number) if whole else number


def open_results(directory: object) -> RunResults | SweepResults:
    """Return the results in a directory, which the command line or a program has written.

    >>> import mobilesim as ms
    >>> ms.open("nowhere")
    Traceback (most recent call last):
    mobilesim.errors.UserError: nowhere: no such directory
    """
    from mobilesim.analysis.summary.results_reader import read_results
    from mobilesim.analysis.sweeps.reader import is_sweep

    location = checked_location(str(directory))
    if is_sweep(location):
        return SweepResults(location)
    read_results(location)
    return RunResults(location)
