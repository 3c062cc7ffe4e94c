"""A written track is read back with the same movement, to the nanosecond."""

from itertools import groupby
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mobilesim.tracks import Position, Reading
from mobilesim.tracks.writing import WRITERS, write
from tests.support.track_files import DATA, SECOND

SAMPLES = sorted(DATA.iterdir())

# Files of ns-2 contain speeds. A subnormal speed has too few digits to determine the time of arrival.
coordinates = st.floats(-1e6, 1e6).map(lambda metres: metres if abs(metres) > 1e-200 else 0.0) | st.integers(
    -100, 100
).map(float)
spans = st.integers(5_000, 10**13) | st.integers(1, 100).map(lambda tenths: tenths * SECOND // 10)
moves = st.tuples(st.sampled_from(("go", "stand", "vanish", "jump")), spans, coordinates, coordinates)
names = st.text(min_size=1, max_size=4).filter(lambda name: name.isprintable() and name == name.strip())


def path(node: str, begin: int, x: float, y: float, doings: list[tuple[str, int, float, float]]) -> list[Position]:
    """Return the positions of a node that does these things in turn. It never jumps and vanishes at the same time,
    because then the position before the jump would be undefined.
    """
    positions = [Position(node, begin, x, y, True)]
    for what, span, to_x, to_y in doings:
        last = positions[-1]
        if what == "vanish" and len(positions) > 1 and positions[-2].time == last.time:
            continue
        if what in {"vanish", "jump"}:
            positions.append(last._replace(here=False))
        place = (last.x, last.y) if what == "stand" else (to_x, to_y)
        positions.append(Position(node, last.time + (span if what != "jump" else 0), *place, True))
    return positions


paths = st.builds(path, st.just("?"), st.just(0) | spans, coordinates, coordinates, st.lists(moves, max_size=6))


@st.composite
def movements(draw: st.DrawFn) -> list[Position]:
    """Draw several nodes, merged in order of time."""
    nodes = draw(st.lists(names, min_size=1, max_size=3, unique=True))
    return sorted(
        (position._replace(node=node) for node in nodes for position in draw(paths)), key=lambda position: position.time
    )


def plain(positions: list[Position]) -> dict[str, list[Position]]:
    """Return the positions of each node in a normal form, in which equal movements have equal positions."""
    found: dict[str, list[Position]] = {}
    for node in dict.fromkeys(position.node for position in positions):
        output = found[node] = []
        for _, moment in groupby(
            (position for position in positions if position.node == node), key=lambda position: position.time
        ):
            first, *_, last = [*moment] * 2
            came = bool(output) and output[-1].here
            if came and last.here and first[2:4] != last[2:4]:
                output.append(first._replace(here=False))
            if not came and not last.here:
                output.append(first._replace(here=True))
            output.append(last if last.here else first._replace(here=False))
    return found


def read_back(positions: list[Position], target: Path, format: str) -> list[Position]:  # noqa: A002 - as the writer calls it
    write(iter(positions), target, format)
    return list(Reading(target, format))


def same(one: list[Position], other: list[Position]) -> bool:
    return [position[1::3] for position in one] == [position[1::3] for position in other] and all(
        position[2:4] == pytest.approx(twin[2:4], abs=1e-6) for position, twin in zip(one, other, strict=True)
    )


@pytest.mark.parametrize("source", SAMPLES, ids=lambda path: path.name)
@pytest.mark.parametrize("format", ("parquet", "csv"))
def test_parquet_and_csv_keep_every_position(source: Path, format: str, tmp_path: Path) -> None:  # noqa: A002
    positions = list(Reading(source))
    assert read_back(positions, tmp_path / "a", format) == positions


@pytest.mark.full
@pytest.mark.parametrize("format", ("parquet", "csv"))
@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(positions=movements())
def test_parquet_and_csv_keep_random_tracks(positions: list[Position], format: str, tmp_path: Path) -> None:  # noqa: A002
    once = read_back(positions, tmp_path / "a", format)
    assert plain(once) == plain(positions)
    assert read_back(once, tmp_path / "b", format) == once


@pytest.mark.full
@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(positions=movements())
def test_ns_2_keeps_paths_absences_and_jumps(positions: list[Position], tmp_path: Path) -> None:
    nodes = {node: str(number) for number, node in enumerate(dict.fromkeys(position.node for position in positions))}
    numbered = [position._replace(node=nodes[position.node]) for position in positions]
    expected, found = plain(numbered), plain(read_back(numbered, tmp_path / "a", "ns2"))
    assert found.keys() == expected.keys()
    assert all(same(found[node], expected[node]) for node in found)


@pytest.mark.parametrize("source", SAMPLES, ids=lambda path: path.name)
def test_ns_2_converted_through_parquet_is_the_same_file(source: Path, tmp_path: Path) -> None:
    write(Reading(source), tmp_path / "a.tcl", "ns2")
    write(Reading(tmp_path / "a.tcl"), tmp_path / "a.parquet", "parquet")
    write(Reading(tmp_path / "a.parquet"), tmp_path / "b.tcl", "ns2")
    assert sorted((tmp_path / "a.tcl").read_text().splitlines()) == sorted(
        (tmp_path / "b.tcl").read_text().splitlines()
    )
    assert sorted(Reading(tmp_path / "b.tcl")) == sorted(Reading(tmp_path / "a.parquet"))


@pytest.mark.full
@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(doings=st.lists(moves.filter(lambda move: move[0] != "vanish")))
def test_bonnmotion_keeps_paths_and_jumps(doings: list[tuple[str, int, float, float]], tmp_path: Path) -> None:
    positions = path("0", 0, 1.0, 2.0, doings)
    assert plain(read_back(positions, tmp_path / "a", "bonnmotion")) == plain(positions)


def test_names_are_made_valid_and_unique_for_ns_2_and_csv(tmp_path: Path) -> None:
    positions = [Position(node, 0, 1.0, 2.0, True) for node in ("a b", "a_b", "a\nb", '"', "é(1)", "#1")]
    assert [position.node for position in read_back(positions, tmp_path / "a", "ns2")] == [
        "a_b",
        "a_b_",
        "a_b__",
        "_",
        "é_1_",
        "#1",
    ]
    assert [position.node for position in read_back(positions, tmp_path / "b", "csv")] == [
        "a b",
        "a_b",
        "a_b_",
        '"',
        "é(1)",
        "#1",
    ]


def test_the_parquet_format_has_integer_nanoseconds_zstd_and_a_version(tmp_path: Path) -> None:
    write(Reading(DATA / "crossing.xml"), tmp_path / "a.parquet", "parquet")
    schema, metadata = pq.read_schema(tmp_path / "a.parquet"), pq.read_metadata(tmp_path / "a.parquet")
    assert schema.metadata[b"mobilesim.track"] == b"1"
    assert {name: str(schema.field(name).type) for name in schema.names} == {
        "node": "dictionary<values=string, indices=int32, ordered=0>",
        "time": "int64",
        "x": "double",
        "y": "double",
        "here": "bool",
    }
    assert metadata.row_group(0).column(1).compression == "ZSTD"


@pytest.mark.parametrize("format", WRITERS)
def test_the_same_movement_gives_the_same_bytes(format: str, tmp_path: Path) -> None:  # noqa: A002
    for name in ("a", "b"):
        write(Reading(DATA / "crossing.xml"), tmp_path / name, format)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
