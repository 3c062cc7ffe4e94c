"""Cell changes of paths on a plane, compared with a reference implementation that makes every position check."""

from collections.abc import Iterator
from dataclasses import fields
from itertools import islice, pairwise
from math import hypot
from random import Random
from typing import Any, Final

import pytest

from mobilesim.scenario.sections.cells import Cells
from mobilesim.scenario.sections.mobility import Mobility
from mobilesim.scenario.sections.mobility_models import Crossing
from mobilesim.world.cells import plane_cells
from mobilesim.world.mobility.actions import LOOK_AHEAD, NOWHERE, Action, Departure, Idle
from mobilesim.world.mobility.cell_detection import CellBorders, CellChange, CellDetector, actions, cell_changes
from mobilesim.world.mobility.segments import Segment
from mobilesim.world.plane_cells import PlaneCells
from tests.support.plane_worlds import S, on, paths, plane

END: Final = 2000 * S


def cell_by_definition(plane: PlaneCells, own: int, x: float, y: float, hysteresis: float) -> int:
    """Return the cell of a position by definition, by a comparison with all sites."""
    far = [hypot(x - site_x, y - site_y) for site_x, site_y in plane.sites]
    nearest = far.index(min(far))
    reach = float("inf") if plane.radius is None else plane.radius
    if own != NOWHERE and far[own] <= reach and far[own] - far[nearest] <= hysteresis:
        return own
    return nearest if far[nearest] <= reach else NOWHERE


def twin(plane: PlaneCells, walked: list[Segment], crossing: Crossing, phase: int) -> list[CellChange]:
    """Return the cell changes by the reference implementation, which determines the cell at every check."""
    own = cell_by_definition(plane, NOWHERE, walked[0].x, walked[0].y, 0)
    seen = [] if own != NOWHERE else [CellChange(0, NOWHERE)]
    for time in range(phase, walked[-1].end, crossing.check):
        segment = next((segment for segment in walked if segment.start <= time < segment.end), None)
        new = NOWHERE if segment is None else cell_by_definition(plane, own, *on(segment, time), crossing.hysteresis)
        if new != own:
            seen.append(CellChange(time, new))
        own = new
    return seen


def changes(plane: PlaneCells, walked: list[Segment], crossing: Crossing, phase: int) -> list[CellChange]:
    detector = CellDetector(CellBorders(plane), crossing, phase, (walked[0].x, walked[0].y))
    output = [CellChange(-1, detector.home), *cell_changes(iter(walked), detector)]
    return [new for old, new in pairwise(output) if new.cell != old.cell and new.time < walked[-1].end]


def random_segments(plane: PlaneCells, random: Random, count: int) -> list[Segment]:
    """Return segments of all lengths, in and out of the rectangle, with pauses, jumps and gaps."""
    walked: list[Segment] = []
    now, x, y = 0, random.random() * plane.width, random.random() * plane.height
    for _ in range(count):
        kind = random.random()
        if kind < 0.1:
            now += random.randrange(5 * S)
        if kind < 0.2:
            x, y = random.uniform(-0.3, 1.3) * plane.width, random.uniform(-0.3, 1.3) * plane.height
        to_x, to_y = x, y
        if kind < 0.8:
            span = 10 ** random.uniform(0, 3)
            to_x, to_y = x + random.uniform(-span, span), y + random.uniform(-span, span)
            to_x = min(max(to_x, -0.3 * plane.width), 1.3 * plane.width)
            to_y = min(max(to_y, -0.3 * plane.height), 1.3 * plane.height)
        end = now + 1 + int(10 ** random.uniform(6, 11))
        walked.append(Segment(now, end, x, y, to_x, to_y))
        now, x, y = end, to_x, to_y
    return walked


SHAPES: Final[tuple[dict[str, Any], ...]] = (
    {"rows": 3, "columns": 4},
    {"shape": "hex", "rows": 4, "columns": 3},
    {"rows": 3, "columns": 3, "radius": "240 m"},
    {"shape": "hex", "rows": 3, "columns": 3, "radius": "300 m"},
)


@pytest.mark.full
@pytest.mark.parametrize("hysteresis", (0.0, 40.0))
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_omitted_checks_of_a_position_would_have_found_no_change(shape: dict[str, Any], hysteresis: float) -> None:
    place, output = plane_cells(Cells.model_validate(shape)), 0
    for seed in range(40):
        random = Random(seed)
        crossing = Crossing(check=random.choice((S // 3, S, 7 * S)), hysteresis=hysteresis)
        walked = random_segments(place, random, 60)
        phase = random.randrange(crossing.check)
        expected = twin(place, walked, crossing, phase)
        assert changes(place, walked, crossing, phase) == expected
        output += len(expected)
    assert output > 300


@pytest.mark.full
@pytest.mark.parametrize("model", ("waypoint", "gauss-markov", "levy", "manhattan"))
def test_cell_changes_of_models_agree_with_the_reference_implementation(model: str) -> None:
    """With blocks of 64 m, no street of `manhattan` is on a border of cells, where rounding would choose the cell."""
    where = plane(model, hosts=6, **({"block": "64 m"} if model == "manhattan" else {}))
    assert where.plane is not None
    for host, trajectory in enumerate(paths(where)):
        walked = list(islice(trajectory, 400))
        while walked[-1].start > END:
            walked.pop()
        crossing = Crossing(check=S, hysteresis=10.0)
        expected = twin(where.plane, walked, crossing, host * S // 7)
        assert changes(where.plane, walked, crossing, host * S // 7) == expected


def line(*cells: int, every: int = 10 * S) -> Iterator[CellChange]:
    return (CellChange((place + 1) * every, cell) for place, cell in enumerate(cells))


def done(seen: Iterator[CellChange], count: int = 50, **mobility: Any) -> list[Action]:  # noqa: ANN401
    settings = Mobility.model_validate({"model": "waypoint", **mobility})
    return list(islice(actions(seen, 0, settings, Random(1)), count))


def test_a_host_leaves_at_the_check_in_another_cell_and_enters_after_the_gap() -> None:
    assert done(line(1, 2), gap="50 ms") == [
        Departure(10 * S, 10 * S + 50_000_000, 1, disconnects=False),
        Departure(20 * S, 20 * S + 50_000_000, 2, disconnects=False),
    ]


def test_a_host_without_a_cell_change_is_idle_until_the_next_check() -> None:
    assert done(line(0, 0, 1)) == [Idle(10 * S), Idle(20 * S), Departure(30 * S, 30 * S, 1, disconnects=False)]


def test_a_host_reconnects_in_the_cell_of_its_position() -> None:
    assert done(line(1, 2, 3), gap="15 s") == [
        Departure(10 * S, 25 * S, 2, disconnects=False),
        Departure(30 * S, 45 * S, 3, disconnects=False),
    ]


def test_a_disconnected_host_reconnects_in_the_cell_of_its_later_position() -> None:
    always = {"probability": 1.0, "duration": "15 s"}
    assert done(line(1, 2, 0), disconnect=always) == [
        Departure(10 * S, 25 * S, 2, disconnects=True),
        Departure(30 * S, 45 * S, 0, disconnects=True),
    ]


def test_a_host_outside_coverage_is_disconnected_until_a_station_reaches_it() -> None:
    assert done(line(NOWHERE, 3)) == [Departure(10 * S, 20 * S, 3, disconnects=True, cut_off=True)]
    assert done(line(NOWHERE, 0)) == [Departure(10 * S, 20 * S, 0, disconnects=True, cut_off=True)]


def test_a_disconnected_host_without_coverage_stays_disconnected() -> None:
    assert done(line(1, NOWHERE, 2), gap="12 s") == [Departure(10 * S, 30 * S, 2, disconnects=False)]


def test_a_host_that_does_not_return_is_checked_repeatedly() -> None:
    found = done(iter([CellChange(10 * S, NOWHERE)]), 4)
    assert found == [
        Departure(10 * S, 10 * S + turn * LOOK_AHEAD, 0, disconnects=True, absent=True, cut_off=True)
        for turn in range(1, 5)
    ]


def test_some_hosts_disconnect_and_others_change_cells() -> None:
    crossing = (CellChange(place * S, place % 2) for place in range(1, 4001))
    found = done(crossing, 5000, disconnect={"probability": 0.25, "duration": "1 ms"})
    off = [step.disconnects for step in found if isinstance(step, Departure)]
    assert sum(off) / len(off) == pytest.approx(0.25, abs=0.03)


STREET: Final = plane_cells(Cells.model_validate({"rows": 1, "columns": 2, "spacing": "100 m"}))


def crossed(hysteresis: float, check: int, phase: int, pace: float = 1.0) -> int:
    """Return the time when a host that walks from the first station to the second, 100 m east, changes its cell."""
    there = Segment(0, int(100 / pace * S), 50.0, 50.0, 150.0, 50.0)
    detector = CellDetector(CellBorders(STREET), Crossing(check=check, hysteresis=hysteresis), phase, (50.0, 50.0))
    return next(iter(detector.changes(there))).time


def test_a_host_changes_cells_at_the_first_check_beyond_the_border() -> None:
    assert crossed(0.0, S, 0) == 51 * S
    assert crossed(0.0, S, S // 4) == 50 * S + S // 4
    assert crossed(0.0, 20 * S, 19 * S) == 59 * S


def test_hysteresis_keeps_a_host_until_the_other_station_is_clearly_nearer() -> None:
    assert crossed(10.0, S, 0) == 56 * S
    assert crossed(30.0, S, 0, pace=0.5) == 131 * S


def test_checks_that_cannot_exceed_the_hysteresis_are_omitted() -> None:
    checked: list[float] = []

    class Watched(PlaneCells):
        def nearest(self, x: float, y: float, near: int = 0) -> int:
            checked.append(x)
            return super().nearest(x, y, near)

    watched = Watched(*(getattr(STREET, field.name) for field in fields(STREET)))
    detector = CellDetector(CellBorders(watched), Crossing(check=S // 1000, hysteresis=50.0), 0, (50.0, 50.0))
    there = Segment(0, 100 * S, 50.0, 50.0, 150.0, 50.0)
    assert list(detector.changes(there)) == [CellChange(75 * S + S // 1000, 1)]
    assert len(checked) < 100


def test_a_host_that_turns_within_the_hysteresis_keeps_its_cell() -> None:
    detector = CellDetector(CellBorders(STREET), Crossing(check=S, hysteresis=20.0), 0, (50.0, 50.0))
    to_and_fro = [
        Segment(turn * 20 * S, (turn + 1) * 20 * S, 95.0 + 10 * (turn % 2), 50.0, 105.0 - 10 * (turn % 2), 50.0)
        for turn in range(10)
    ]
    assert [seen for segment in to_and_fro for seen in detector.changes(segment)] == []
    keen = CellDetector(CellBorders(STREET), Crossing(check=S, hysteresis=0.0), 0, (50.0, 50.0))
    assert len([seen for segment in to_and_fro for seen in keen.changes(segment)]) == 10


def test_a_host_outside_its_stations_radius_changes_despite_hysteresis() -> None:
    small = plane_cells(Cells.model_validate({"rows": 1, "columns": 2, "spacing": "100 m", "radius": "60 m"}))
    detector = CellDetector(CellBorders(small), Crossing(check=S, hysteresis=50.0), 0, (50.0, 50.0))
    assert list(detector.changes(Segment(0, 100 * S, 50.0, 50.0, 150.0, 50.0))) == [CellChange(61 * S, 1)]


def test_a_gap_in_a_path_is_noticed_only_at_a_check() -> None:
    detector = CellDetector(CellBorders(STREET), Crossing(check=S), S // 2, (50.0, 50.0))
    parts = [(0, 10 * S), (10 * S + 1, 20 * S), (30 * S, 40 * S)]
    seen = [sight for start, end in parts for sight in detector.changes(Segment(start, end, 50.0, 50.0, 50.0, 50.0))]
    assert seen == [CellChange(20 * S + S // 2, NOWHERE), CellChange(30 * S + S // 2, 0)]
