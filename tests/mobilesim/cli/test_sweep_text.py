"""The text at the end of a sweep."""

from dataclasses import replace
from pathlib import Path

from mobilesim.cli.text.sweep_text import SweepOutcome
from mobilesim.experiments.sweep.plan import Plan, make_plan
from mobilesim.results.sweeps.manifest import RunRecord
from mobilesim.results.sweeps.sweep_directory import SweepDirectory
from mobilesim.scenario.sweeps.sweep_file import loads


def planned(replications: str = "12") -> Plan:
    return make_plan(loads(f"name: s\nscenario: {{}}\nvary: {{hosts: [5, 6]}}\nreplications: {replications}"))


def records(whole: Plan) -> list[RunRecord]:
    return [
        RunRecord(run, dict(label), "av1", place, 7, "complete", "ok", None, 0.5, {})
        for place, (run, label) in enumerate(whole.all_runs().items())
    ]


def outcome_of(whole: Plan, *found: RunRecord, before: int = 0) -> SweepOutcome:
    store = SweepDirectory(Path("r"))
    after = SweepOutcome(whole, Path("r"))
    for record in found[:before]:
        store.add(record)
    after.begin(store)
    for record in found:
        store.add(record)
    return after


def test_earlier_runs_are_counted_separately() -> None:
    whole = planned()
    lines = list(outcome_of(whole, *records(whole), before=20).lines())
    assert lines == [
        "s: 2 points, 1 protocol, 12 replications",
        "  24 runs are complete, 20 of them from earlier commands",
        "tables: r",
    ]


def test_overloaded_runs_are_reported_in_one_line() -> None:
    whole = planned()
    one, other, *rest = (replace(record, overload=None) for record in records(whole))
    after = outcome_of(whole, one, replace(other, overload="station 0 had too much"), *rest)
    line = "  overload in 1 of 24 runs, the first is av1 #1 at hosts=5, seed 7: station 0 had too much"
    assert list(after.lines(summarized=True))[2] == list(after.lines())[2] == line
    assert [entry["run"] for entry in after.document()["overloaded"]] == [other.run]
    assert after.sound


def test_violated_claims_and_failed_runs_are_reported_separately() -> None:
    whole = planned()
    one, other, *rest = records(whole)
    broken = replace(one, verdict="fault", error=None)
    failed = replace(other, status="failed", verdict=None, error="MemoryError")
    after = outcome_of(whole, broken, failed, *rest)
    assert not after.sound
    assert list(after.lines())[1:4] == [
        "  23 runs are complete",
        "  FAILED: av1 #1 at hosts=5, seed 7: MemoryError",
        "  FAULT: av1 #0 at hosts=5, seed 7: it broke a claim",
    ]
    assert list(after.lines(summarized=True))[1:] == ["  23 runs are complete", "tables: r"]
    document = after.document()
    assert document["runs"] == {"complete": 23, "before": 0, "failed": 1}
    assert [entry["run"] for entry in document["failed"] + document["faults"]] == [failed.run, broken.run]


def test_only_the_first_of_many_failures_are_shown() -> None:
    whole = planned()
    after = outcome_of(whole, *(replace(each, status="failed", error="no") for each in records(whole)))
    lines = list(after.lines())
    assert len([line for line in lines if line.startswith("  FAILED")]) == 10
    assert "  … and 14 more; --json has all" in lines


def test_adaptive_replications_are_reported() -> None:
    whole = planned("{at_least: 4, at_most: 9, until: {delay: 2.5 %}, differences: {delay.p95: 10 %}}")
    assert next(outcome_of(whole).lines()) == (
        "s: 2 points, 1 protocol, 4 to 9 replications, until delay is known within 2.5 %, its difference in delay.p95 "
        "from the first protocol within 10 %"
    )
