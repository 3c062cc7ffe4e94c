"""Sweeps and studies from Python."""

import json
import shutil
from pathlib import Path
from typing import Final

import pytest

import mobilesim as ms
from mobilesim.results.schema import TABLES

pytestmark = [pytest.mark.full, pytest.mark.usefixtures("spark")]

SCENARIO: Final = {"hosts": 4, "cells": 4, "messages": 40, "protocols": ["av1", "fifo"]}


@pytest.fixture(scope="module")
def swept(tmp_path_factory: pytest.TempPathFactory) -> ms.SweepResults:
    keys = {"scenario": SCENARIO, "vary": {"hosts": [4, 6], "mobility.dwell": ["1 s", "5 s"]}, "replications": 2}
    return ms.sweep(keys, out=tmp_path_factory.mktemp("sweep") / "s")


def test_a_frame_has_a_row_for_each_point_and_protocol(swept: ms.SweepResults) -> None:
    frame = swept.frame("delay").pandas()
    assert list(frame.columns) == ["hosts", "mobility.dwell", "protocol", "mean", "low", "high"]
    assert len(frame) == 8
    assert set(frame["hosts"]) == {4, 6}
    assert set(frame["mobility.dwell"]) == {"1 s", "5 s"}
    first = swept.summary.points[0][1]["av1"]["delay"]
    row = frame[(frame["hosts"] == 4) & (frame["mobility.dwell"] == "1 s") & (frame["protocol"] == "av1")]
    assert row["mean"].tolist() == [first.mean]


def test_the_columns_of_a_frame_can_be_chosen(swept: ms.SweepResults) -> None:
    assert swept.frame("delay.p95", by=["protocol"]).columns == ["protocol", "mean", "low", "high"]
    with pytest.raises(ms.UserError, match=r"^by: 'host' does not vary in this sweep; there are hosts, mobi"):
        swept.frame("delay", by=["host"])


def test_the_summary_of_a_scenario_is_refused_for_a_sweep_with_its_equivalent(swept: ms.SweepResults) -> None:
    with pytest.raises(ms.UserError, match=r"^\['av1'\]: this is .* of a sweep.* frame\(METRIC\) and summary_tables$"):
        swept.summary["av1"]
    for name in ("figures", "verdicts"):
        with pytest.raises(AttributeError, match=rf"^the results .* no '{name}'; frame\(METRIC\) and summary"):
            getattr(swept, name)
    with pytest.raises(AttributeError, match=r"^the results of a sweep have no 'figure'$"):
        getattr(swept, "figure")  # noqa: B009
    with pytest.raises(ms.UserError) as caught:
        swept.frame("dealy")
    assert str(caught.value) == "there is no metric 'dealy'; did you mean 'delay'?"


def test_complete_runs_are_not_repeated(swept: ms.SweepResults) -> None:
    files = {path: path.stat().st_mtime_ns for path in Path(str(swept.directory)).glob("deliveries/*")}
    keys = {"scenario": SCENARIO, "vary": {"hosts": [4, 6], "mobility.dwell": ["1 s", "5 s"]}, "replications": 2}
    again = ms.sweep(keys, out=str(swept.directory))
    assert {path: path.stat().st_mtime_ns for path in Path(str(again.directory)).glob("deliveries/*")} == files
    assert str(again) == str(swept)
    assert "temporary" not in str(swept)


def test_opened_results_have_the_same_numbers(swept: ms.SweepResults) -> None:
    opened = ms.open(swept.directory)
    assert isinstance(opened, ms.SweepResults)
    assert opened.frame("delay").arrow().equals(swept.frame("delay").arrow())
    assert len(opened.runs) == 16
    assert len(opened.summary_tables) > 3


def test_opening_writes_nothing(swept: ms.SweepResults, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(str(swept.directory), copy)
    shutil.rmtree(copy / "summary")
    before = sorted(copy.rglob("*"))
    opened = ms.open(copy)
    assert isinstance(opened, ms.SweepResults)
    assert str(opened) == str(swept)
    assert sorted(copy.rglob("*")) == before


def test_results_that_another_sweep_has_replaced_are_one_line(tmp_path: Path) -> None:
    keys = {"scenario": SCENARIO, "vary": {"hosts": [4]}, "replications": 1}
    first = ms.sweep(keys, out=tmp_path / "s")
    numbers = str(first)
    ms.sweep({**keys, "vary": {"hosts": [5]}}, out=tmp_path / "s", fresh=True)
    with pytest.raises(ms.UserError, match=r"/s: another run has replaced these results; "):
        first.deliveries.arrow()
    assert str(first) == numbers


def test_all_tables_are_views_for_sql(swept: ms.SweepResults) -> None:
    spark = swept.spark()
    query = """
        select point['hosts'] as hosts, protocol, count(*) as deliveries, avg(delay) as delay
        from deliveries where protocol = 'av1' and point['mobility.dwell'] = '1 s' group by all order by all
    """
    rows = spark.sql(query).collect()
    assert [(row["hosts"], row["protocol"]) for row in rows] == [("4", "av1"), ("6", "av1")]
    runs = [row | {"point": json.loads(row["point"])} for row in swept.runs.arrow().to_pylist()]
    for row in rows:
        point = {"hosts": row["hosts"], "mobility.dwell": "1 s"}
        known = [each["deliveries"] for each in runs if (each["protocol"], each["point"]) == ("av1", point)]
        assert row["deliveries"] == sum(known) > 0
    for name in TABLES:
        assert spark.table(name).count() == len(getattr(swept, name)), name
        assert {"run_id", "protocol", "replication", "point"} <= set(spark.table(name).columns)


def test_a_filter_by_protocol_reaches_the_files(swept: ms.SweepResults) -> None:
    """So Spark skips the row groups of other protocols, of which each has one run."""
    frame = swept.spark().sql("select sum(delay) from deliveries where protocol = 'av1'")
    plan = frame._jdf.queryExecution().toString()
    assert "PushedFilters: [IsNotNull(protocol), EqualTo(protocol,av1)" in plan
    assert "BroadcastHashJoin" in plan
    assert "ReadSchema: struct<run_id:string,protocol:string,delay:bigint>" in plan


def test_a_table_is_a_spark_frame(swept: ms.SweepResults) -> None:
    assert swept.deliveries.spark().count() == len(swept.deliveries)
    assert swept.frame("delay").spark().count() == 8


def test_a_study_compares_variants() -> None:
    keys = {"scenario": SCENARIO, "variants": {"slow": {"wireless.bandwidth": "64 kbit/s"}}, "replications": 2}
    found = ms.study(keys)
    *_, kept = str(found).splitlines()
    assert kept.startswith("temporary results, removed when this object or the process ends; `out=` keeps")
    assert str(found.directory) not in str(found)
    means = {row["variant"]: row["mean"] for row in found.frame("delay").arrow().to_pylist()}
    assert means["slow"] > means["base"]
    with pytest.raises(ms.UserError, match="there are no 'variants' in this sweep"):
        ms.study({"scenario": SCENARIO, "vary": {"hosts": [4, 6]}})
