"""The plan and the outcome of a sweep, as text and as JSON."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any, Final

from mobilesim.api.text_tables import aligned
from mobilesim.errors import counted
from mobilesim.experiments.sweep.plan import Configuration, Plan
from mobilesim.experiments.sweep.points import InvalidPoint, label_text
from mobilesim.results.layout import VARIANT
from mobilesim.results.location import Location
from mobilesim.results.statuses import RunVerdict
from mobilesim.results.sweeps.manifest import RunRecord
from mobilesim.results.sweeps.sweep_directory import SweepDirectory
from mobilesim.scenario.sweeps.design import SAMPLED

_MOST_LINES: Final = 10


def plan_lines(plan: Plan, store: SweepDirectory, width: int | None) -> Iterator[str]:
    document = plan_document(plan, store)
    yield f"{plan.sweep.name}: {_size(plan)}"
    yield from _design(plan)
    yield from _refinement(plan)
    yield ""
    keys = [key for axis in plan.sweep.axes for key in axis.keys] or ["point"]
    rows = [[*(each["point"].values() or "-"), str(each["runs"]), str(each["done"])] for each in document["points"]]
    numbers = (len(keys), len(keys) + 1)
    yield from aligned([[*keys, "runs", "done"], *rows], numbers, width)
    yield ""
    yield from _left_out(plan.grid.left_out)
    more = f", or up to {document['at_most']:,}" if plan.replications.adaptive else ""
    yield f"{counted(document['runs'], 'run')}{more}; {document['done']:,} are complete in {store.directory}"


def plan_document(plan: Plan, store: SweepDirectory) -> dict[str, Any]:
    """Return the plan as JSON data. `runs`: the minimum number of runs. `at_most`: the maximum number."""
    points = []
    by_point: dict[str, list[Configuration]] = {}
    for each in plan.configurations:
        by_point.setdefault(each.point.text, []).append(each)
    for point in plan.grid.points:
        cells = by_point[point.text]
        done = sum(store.done(cell.run(number)) for cell in cells for number in range(plan.replications.at_most))
        runs = len(cells) * plan.replications.at_least
        points.append({"point": dict(point.label), "runs": runs, "done": done})
    return {
        "sweep": plan.sweep.name,
        "design": plan.sweep.design.model_dump(mode="json", exclude_unset=True) or {"kind": plan.sweep.design.kind},
        "refine": plan.sweep.refine and plan.sweep.refine.written(),
        "results": str(store.directory),
        "protocols": list(plan.protocols),
        "points": points,
        "left_out": _refused(plan),
        "runs": sum(point["runs"] for point in points),
        "at_most": len(plan.configurations) * plan.replications.at_most,
        "done": sum(point["done"] for point in points),
    }


class SweepOutcome:
    """The state of a sweep: complete runs, failures, faults and overloads."""

    def __init__(self, plan: Plan, directory: Location) -> None:
        self.plan = plan
        self.store = SweepDirectory(directory)
        self._before: set[str] = set()
        self.interrupted = False

    def begin(self, store: SweepDirectory) -> None:
        self.store = store
        self._before = {record.run for record in self._records()["complete"]}

    @property
    def any_complete(self) -> bool:
        return bool(self._records()["complete"])

    @property
    def sound(self) -> bool:
        records = self._records()
        return not (records["failed"] or records["faults"])

    def _records(self) -> dict[str, list[RunRecord]]:
        runs = self.plan.all_runs()
        known = [record for run, record in self.store.records.items() if run in runs]
        return {
            "complete": [record for record in known if record.complete],
            "failed": [record for record in known if not record.complete],
            "faults": [record for record in known if record.verdict == RunVerdict.FAULT],
            "overloaded": [record for record in known if record.overload],
        }

    def lines(self, *, summarized: bool = False) -> Iterator[str]:
        """Yield the lines of the outcome. If `summarized`, failures are left out, because the summary has them."""
        records, before = self._records(), len(self._before)
        complete, failed = len(records["complete"]), len(records["failed"])
        yield f"{self.plan.sweep.name}: {_size(self.plan)}"
        yield from _design(self.plan)
        if self.plan.sweep.quick:
            yield f"  --quick: {_short_form(self.plan)}short runs, at most two replications"
        yield f"  {complete:,} runs are complete{f', {before:,} of them from earlier commands' if before else ''}"
        yield from _left_out(self.plan.grid.left_out)
        if over := records["overloaded"]:
            many = f"{len(over):,} of {counted(complete + failed, 'run')}"
            yield f"  overload in {many}, the first is {_run_name(over[0])}: {over[0].overload}"
        if not summarized:
            yield from _first_lines([f"  FAILED: {_run_name(each)}: {each.error}" for each in records["failed"]])
            broken = "it broke a claim"
            yield from _first_lines(
                [f"  FAULT: {_run_name(each)}: {each.error or broken}" for each in records["faults"]]
            )
        yield f"tables: {self.store.directory}"

    def document(self) -> dict[str, Any]:
        records = self._records()
        complete, failed = len(records.pop("complete")), len(records["failed"])
        return {
            "sweep": self.plan.sweep.name,
            "results": str(self.store.directory),
            "points": [dict(point.label) for point in self.plan.grid.points],
            "left_out": _refused(self.plan),
            "protocols": list(self.plan.protocols),
            "runs": {"complete": complete, "before": len(self._before), "failed": failed},
            **{kind: [_entry(record) for record in chosen] for kind, chosen in records.items()},
        }


def _size(plan: Plan) -> str:
    repeated = plan.replications
    times = counted(repeated.at_least, "replication")
    if repeated.adaptive:
        known = [f"{metric} is known within {100 * share:.3g} %" for metric, share in repeated.until.items()]
        known += [
            f"its difference in {metric} from the first protocol within {100 * share:.3g} %"
            for metric, share in repeated.differences.items()
        ]
        known += ["it is decided which protocols are dominated"] * bool(repeated.decide)
        aims = ", ".join(known)
        times = f"{repeated.at_least} to {repeated.at_most} replications, until {aims}"
    return f"{counted(len(plan.grid.points), 'point')}, {counted(len(plan.protocols), 'protocol')}, {times}"


def _design(plan: Plan) -> Iterator[str]:
    if not plan.sweep.design.is_grid:
        design = plan.sweep.design.shortened() if plan.sweep.quick else plan.sweep.design
        yield f"  design: {design.text(len(plan.sweep.factors))}"


def _refinement(plan: Plan) -> Iterator[str]:
    if (refine := plan.sweep.refine) is not None:
        width = "" if refine.until is None else f", until the bracket is as narrow as {refine.until.raw}"
        budget = "" if refine.runs is None else f", with at most {refine.runs:,} added runs"
        what = f"{refine.metric} of {' and '.join(refine.protocols)}"
        yield f"  refine: more points where the {what} cross along {refine.axis}{width}{budget}"


def _short_form(plan: Plan) -> str:
    if plan.sweep.design.kind in SAMPLED:
        return "few points of the design, "
    return "first and last value of every axis, " if any(each.keys != (VARIANT,) for each in plan.sweep.axes) else ""


def _left_out(left_out: Sequence[InvalidPoint]) -> Iterator[str]:
    yield from _first_lines([f"  left out: {label_text(each.label)}: {each.error}" for each in left_out])


def _first_lines(lines: Sequence[str]) -> Iterator[str]:
    yield from lines[:_MOST_LINES]
    if len(lines) > _MOST_LINES:
        yield f"  … and {len(lines) - _MOST_LINES:,} more; --json has all"


def _refused(plan: Plan) -> list[dict[str, Any]]:
    return [{"point": dict(each.label), "error": each.error} for each in plan.grid.left_out]


def _run_name(record: RunRecord) -> str:
    return f"{record.protocol} #{record.replication} at {label_text(record.point)}, seed {record.seed}"


def _entry(record: RunRecord) -> dict[str, Any]:
    return {key: value for key, value in asdict(record).items() if key not in {"rows", "reduction"}}
