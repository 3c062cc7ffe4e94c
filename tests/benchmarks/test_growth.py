"""The growth benchmark varies one quantity, measures each point in fresh processes and loses nothing on Ctrl-C."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from benchmarks.fresh_process import ROOT
from benchmarks.growth_page import page
from benchmarks.growth_points import EXPERIMENTS, HOSTS, STATIONS, Point, points, scenario, selected
from benchmarks.growth_run import measure
from benchmarks.growth_table import GrowthMeasurement, PointResult, document, lines

COMMAND: Final = [sys.executable, "-m", "benchmarks.growth"]
PATIENCE: Final = 120


def growth(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*COMMAND, *arguments], cwd=ROOT, capture_output=True, text=True, check=False, timeout=PATIENCE
    )


def of(experiment: str, protocol: str, *, large: bool = True) -> list[Point]:
    return selected(list(points(20_000, 10_000_000, large=large)), [f"{experiment}-{protocol}"])


def results() -> list[PointResult]:
    one, other = (Point("hosts", name, 100, 100, STATIONS, 50) for name in ("av2", "av1"))
    stations = Point("stations", "av2", 10, HOSTS, 10, 50)
    return [
        PointResult(one, (GrowthMeasurement(20.0, None, 200_000_000),)),
        PointResult(stations, (GrowthMeasurement(1.0, 50.0, 1_000_000), GrowthMeasurement(3.0, 70.0, 3_000_000))),
        PointResult(other, (GrowthMeasurement(10.0, None, 100_000_000),)),
    ]


def test_the_numbers_of_hosts_stations_and_messages_grow_over_two_decades_and_more() -> None:
    assert [point.hosts for point in of("hosts", "av1")] == [100, 300, 1_000, 3_000, 10_000]
    assert [point.stations for point in of("stations", "av2")] == [10, 30, 100, 300, 1_000]
    assert [point.messages for point in of("messages", "av1")] == [100_000, 333_333, 1_000_000, 3_333_333, 10_000_000]
    assert [point.hosts for point in of("large", "fifo")] == [1_000, 10_000, 100_000]
    assert of("large", "av2", large=False) == []
    assert of("hosts", "prs", large=False)[-1].hosts == 300


def test_only_the_quantity_of_the_experiment_varies() -> None:
    for name, fixed in {
        "hosts": ("stations", "messages"),
        "stations": ("hosts", "messages"),
        "messages": ("hosts", "stations"),
    }.items():
        assert len({tuple(getattr(point, each) for each in fixed) for point in of(name, "av2")}) == 1
        assert all(getattr(point, name) == point.value for point in of(name, "av2"))


def test_hosts_and_stations_have_the_same_load_at_every_point() -> None:
    for name in EXPERIMENTS:
        for point in of(name, "av2"):
            chosen = scenario(point)
            packets = point.hosts / point.stations  # a second, in units of the packets of a message at a station
            assert chosen.processing.fixed * packets == pytest.approx(10_000 * HOSTS / STATIONS, rel=1e-4)
            assert chosen.workload.interval.mean == 1_000_000_000


def test_the_hand_off_packets_per_message_do_not_depend_on_the_number_of_stations() -> None:
    assert {scenario(point).mobility.dwell.mean / point.stations for point in of("stations", "av2")} == {300_000_000}
    assert {scenario(point).mobility.dwell.mean for point in of("hosts", "av2")} == {30_000_000_000}


def test_the_backbone_is_faster_where_a_header_would_take_more_than_32_ms() -> None:
    gigabits = [scenario(point).backbone.bandwidth / 1e9 for point in of("hosts", "av1")]
    assert gigabits == [1, 1, 1, 9, 100]


def test_points_are_chosen_by_name_or_by_the_beginning_of_their_names() -> None:
    every = list(points(100, 100, large=True))
    assert [point.name for point in selected(every, ["hosts-av1-100"])] == ["hosts-av1-100"]
    assert {point.experiment for point in selected(every, ["hosts", "stations"])} == {"hosts", "stations"}
    assert selected(every, ["host"]) == []
    assert selected(every, []) == every
    assert len({point.name for point in every}) == len(every)


@pytest.mark.full
def test_a_point_runs_with_and_without_movement() -> None:
    point = Point("stations", "av2", 4, 40, 4, 2_000)
    moving, still = (measure(point, moving=each) for each in (True, False))
    assert moving["handoffs"] > 0
    assert still["handoffs"] == 0
    assert min(still["seconds"], still["peak"]) > 0


def test_the_table_has_a_section_for_each_experiment_and_a_row_for_each_point() -> None:
    heading, av2, av1, _, _, stations = [line.split() for line in lines(results())]
    assert heading == ["hosts", "messages", "us/message", "(min-max)", "us/hand-off", "(min-max)", "peak", "MB"]
    assert av2 == ["av2", "100", "50", "20.00", "(20.00-20.00)", "-", "-", "200"]
    assert av1 == ["av1", "100", "50", "10.00", "(10.00-10.00)", "-", "-", "100"]
    assert stations == ["av2", "10", "50", "2.00", "(1.00-3.00)", "60.00", "(50.00-70.00)", "2"]


def test_the_json_document_has_every_round() -> None:
    entries = {entry["name"]: entry for entry in document(results(), "pure")["points"]}
    assert entries["stations-av2-10"]["microseconds_per_handoff"] == [50.0, 70.0]
    assert entries["hosts-av1-100"]["microseconds_per_handoff"] is None
    assert entries["hosts-av1-100"]["peak_megabytes"] == [100.0]


def test_the_page_shows_time_memory_and_hand_offs_and_needs_no_network() -> None:
    text = page(results(), "pure")
    drawn = json.loads(text.partition('id="plots">')[2].partition("</script>")[0])
    assert set(drawn) == {"hosts-message", "hosts-memory", "stations-message", "stations-handoff", "stations-memory"}
    assert drawn["stations-handoff"]["data"][0]["x"] == [10]
    assert all(plot["layout"]["xaxis"]["type"] == "log" for plot in drawn.values())
    assert "src=" not in text.partition("<script>")[0]


@pytest.mark.full
def test_points_are_measured_in_turn_and_shown_as_a_table_and_as_a_page(tmp_path: Path) -> None:
    file = tmp_path / "growth.html"
    names = ("hosts-av1-100", "stations-av2-10")
    done = growth(*names, "--messages", "50", "--rounds", "2", "--plot", str(file))
    assert done.returncode == 0, done.stderr
    steps = [line.split()[1].rstrip(":") for line in done.stderr.splitlines()]
    assert steps == [*names, *names, str(file)]
    assert [line.split()[:2] for line in done.stdout.splitlines() if line.startswith("av")] == [
        ["av1", "100"],
        ["av2", "10"],
    ]
    assert "stations-handoff" in file.read_text(encoding="utf-8")


@pytest.mark.full
def test_ctrl_c_prints_the_points_that_were_measured() -> None:
    process = subprocess.Popen(
        [*COMMAND, "hosts-av1-100", "--messages", "50", "--rounds", "100000"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stderr is not None
    for _ in range(2):
        assert "hosts-av1-100: " in process.stderr.readline()
    os.killpg(process.pid, signal.SIGINT)
    out, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert [line.split()[:2] for line in out.splitlines()[1:]] == [["av1", "100"]]
    assert "Traceback" not in errors


@pytest.mark.full
def test_an_unknown_point_is_refused_and_the_list_has_all_names() -> None:
    done = growth("hosts-av1-100", "hosts-none")
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].endswith("no point is called hosts-none; --list prints their names")
    assert growth("--list").stdout.splitlines() == [point.name for point in points(1, 300_000, large=False)]
