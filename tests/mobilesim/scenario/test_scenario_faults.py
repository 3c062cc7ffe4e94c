"""Each mistake in a scenario is reported in one error line, without a traceback."""

import os
from pathlib import Path

import pytest

from mobilesim.errors import UserError
from mobilesim.scenario.loader import load, loads
from tests.support.bad_cells import CELLS
from tests.support.bad_scenarios import TABLE, Bad, error_of
from tests.support.bad_wireless import WIRELESS


def file_error(path: Path) -> str:
    with pytest.raises(UserError) as caught:
        load(path)
    return str(caught.value)


@pytest.mark.full
@pytest.mark.parametrize("bad", TABLE + CELLS + WIRELESS, ids=lambda bad: repr(bad.text[:80]))
def test_a_bad_scenario_is_refused_with_exactly_this_line(bad: Bad) -> None:
    assert error_of(bad.text) == bad.error


def test_the_rows_of_the_table_are_unique() -> None:
    assert len({bad.text for bad in TABLE}) == len(TABLE) >= 45


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "nowhere.yaml"
    assert file_error(path) == f"{path}: there is no such file"


def test_a_directory_given_as_a_scenario_is_refused(tmp_path: Path) -> None:
    assert file_error(tmp_path) == f"{tmp_path}: this is a directory, not a scenario file"


def test_an_impossible_file_name_is_refused() -> None:
    assert file_error(Path("a\0b.yaml")).endswith("this is not a valid file name")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "secret.yaml"
    path.write_text("hosts: 5\n")
    path.chmod(0)
    assert file_error(path) == f"{path}: there is no permission to read this file"


def test_a_file_that_is_not_utf8_is_refused_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "latin.yaml"
    path.write_bytes(b"hosts: 5\nname: caf\xe9\n")
    assert file_error(path) == f"{path}:2: not UTF-8 text; save the file as UTF-8"


def test_a_huge_file_is_refused_without_reading(tmp_path: Path) -> None:
    path = tmp_path / "huge.yaml"
    path.write_bytes(b"# " + b"x" * 250_000)
    assert file_error(path) == f"{path}: larger than 250 kB, the limit of a scenario file"


@pytest.mark.full
def test_exponentially_nested_aliases_are_refused() -> None:
    bomb = "a0: &a0 [x]\n" + "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 20)}]\n" for n in range(1, 9))
    assert error_of(bomb) == "x.yaml:5: a4: nested too deeply, or too large, for a scenario"


@pytest.mark.parametrize("digits", ("9" * 200_000, "0." + "9" * 200_000, "9_" * 100_000, "1e" + "9" * 200_000))
def test_a_very_long_number_is_refused_at_once(digits: str) -> None:
    assert error_of(f"duration: {digits} s\n").endswith("is not a time; write a number and a unit, like '7 ms'")


def test_a_removed_graph_file_is_reported_when_its_content_is_needed(tmp_path: Path) -> None:
    graph = tmp_path / "cells.graphml"
    graph.write_text("<graphml/>")
    scenario = loads(f"cells: {{shape: graph, file: {graph}}}\n")
    graph.unlink()
    with pytest.raises(UserError, match="can no longer be read"):
        _ = scenario.hash


@pytest.mark.parametrize(
    ("key", "text", "error"),
    (
        ("hots", "3", "--set hots: unknown key; did you mean 'hosts'?"),
        ("hosts", "many", "--set hosts: 'many' is not a whole number"),
        ("hosts", "", "--set hosts: it is empty; write a whole number"),
        ("hosts", "[", "--set hosts: not valid YAML: expected the node content, but found '<stream end>'"),
        ("seed.x", "3", "--set seed.x: seed: a mapping is not a whole number"),
        ("hosts.x", "3", "--set hosts.x: hosts is 5 here; replace it with --set hosts=..."),
        ("backbone.latency", "7", "--set backbone.latency: 7 has no unit; write '7 s' or '7 ms'"),
        ("cells", "{rows: x}", "--set cells.rows: 'x' is not a whole number"),
        ("", "3", "--set : unknown key"),
    ),
)
def test_a_mistake_in_set_is_reported_at_set(key: str, text: str, error: str) -> None:
    assert error_of("hosts: 5\n", **{key: text}).startswith(error)


def test_the_error_of_conflicting_keys_names_the_option_that_replaces_the_section() -> None:
    """`--set` cannot remove a single key of the file, but it can replace a section."""
    text = "mobility:\n  dwell: exponential 1 s\n  next: neighbour\n"
    waypoint = {"mobility__model": "waypoint", "mobility__waypoint__pause": "1 s"}
    found = error_of(text, **waypoint)
    assert found.startswith("x.yaml:2: mobility.dwell: does not apply to model 'waypoint'; ")
    assert found.endswith(
        ", or leave this key out; --set 'mobility={model: waypoint, waypoint: {pause: 1 s}}' replaces the whole section"
    )
    again = loads(text, "x.yaml", {"mobility": "{model: waypoint, waypoint: {pause: 1 s}}"})
    assert again.mobility.model == "waypoint"
    assert "leaves out" not in error_of(text, mobility__next="nowhere")
    assert "leaves out" not in error_of("hosts: x\n", cells="3")


def test_mistakes_of_the_file_precede_those_of_set() -> None:
    assert error_of("hosts: 5\nseed: x\n", hosts="many") == (
        "x.yaml:2: seed: 'x' is not a whole number\n--set hosts: 'many' is not a whole number"
    )


def test_a_conflict_with_a_default_is_reported_at_the_written_key() -> None:
    found = error_of("seed: 3\nworkload:\n  kind: multicast\n  destinations: 20\n")
    assert (
        found
        == "x.yaml:4: workload.destinations: 20 destinations are too many; with 20 hosts write 19 or less, or 'all'"
    )


def test_every_error_message_is_one_line() -> None:
    assert str(UserError("two\nlines\r and\ttabs")) == "two lines and tabs"
