"""Exports follow the rules of the programs that read them."""

import csv
import json
import re
from collections import defaultdict
from io import StringIO
from pathlib import Path
from typing import Any

import networkx as nx
import pytest

import mobilesim as ms
from mobilesim.errors import UserError
from mobilesim.tape.events import EventKind, Tape
from mobilesim.tape.exports import formats
from mobilesim.tape.exports.formats import FORMATS, export
from mobilesim.tape.exports.shiviz import PARSER

SCENARIO = """
name: small
hosts: 6
cells: {shape: grid, rows: 1, columns: 3}
duration: 2 s
mobility: {dwell: exponential 500 ms}
workload: {interval: exponential 200 ms, kind: multicast, destinations: 2}
protocols: [av2]
"""


@pytest.fixture(scope="module", params=["run", "counter-example"])
def tape(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Tape:
    if request.param == "counter-example":
        found = ms.explore("fifo", hosts=3, destinations=2, moves=0).tape
        assert found is not None
        return found.tape
    scenario = tmp_path_factory.mktemp("exports") / "small.yaml"
    scenario.write_text(SCENARIO)
    return ms.run(str(scenario)).replay().tape


def test_shiviz_reads_each_event_and_the_clocks_have_no_gaps(tape: Tape) -> None:
    """ShiViz requires that the own number of a host rises by one, and that clocks refer to events of the log."""
    first, delimiter, *rest = FORMATS["shiviz"].text(tape).split("\n")
    assert (first, delimiter) == (PARSER, "")
    # JavaScript, for which the expression is made, names groups without P.
    expression = re.compile(PARSER.replace("(?<", "(?P<"))
    entries = list(expression.finditer("\n".join(rest)))
    assert len(entries) == len(rest) // 2 > 20
    counts: dict[str, int] = defaultdict(int)
    for entry in entries:
        host, clock = entry["host"], json.loads(entry["clock"])
        counts[host] += 1
        assert clock[host] == counts[host]
        assert all(1 <= number <= counts[other] for other, number in clock.items())


def test_shiviz_shows_a_delivery_after_everything_before_its_submission(tape: Tape) -> None:
    clocks: dict[str, dict[str, int]] = {}
    lines = FORMATS["shiviz"].text(tape).split("\n")[2:]
    delivered = 0
    for event, line in zip(lines[::2], lines[1::2], strict=False):
        clock = json.loads(line.partition(" ")[2])
        what, message = event.split()[:2]
        if what == "submit":
            clocks[message] = clock
        elif what == "deliver" and message in clocks:
            delivered += 1
            assert all(clock.get(node, 0) >= number for node, number in clocks[message].items())
    assert delivered > 0


def test_perfetto_slices_nest_and_arrows_end_in_slices(tape: Tape) -> None:
    document = json.loads(FORMATS["perfetto"].text(tape))
    rows: list[dict[str, Any]] = document["traceEvents"]
    slices: dict[tuple[int, int], list[tuple[float, float]]] = defaultdict(list)
    for row in rows:
        if row["ph"] == "X":
            slices[row["pid"], row["tid"]].append((row["ts"], row["ts"] + row["dur"]))
    assert slices
    for spans in slices.values():
        open_ends: list[float] = []
        for begin, end in sorted(spans, key=lambda span: (span[0], -span[1])):
            while open_ends and open_ends[-1] <= begin + 1e-6:
                open_ends.pop()
            assert not open_ends or end <= open_ends[-1] + 1e-6, "slices of a track must nest"
            open_ends.append(end)
    arrows: dict[int, list[str]] = defaultdict(list)
    for row in rows:
        if row["ph"] in {"s", "f"}:
            arrows[row["id"]].append(row["ph"])
            inside = any(begin <= row["ts"] <= end for begin, end in slices[row["pid"], row["tid"]])
            assert inside, "an arrow must begin and end in slices"
    assert arrows
    assert all(ends == ["s", "f"] for ends in arrows.values())
    waits = [row for row in rows if row["ph"] in {"b", "e"}]
    assert [row["ph"] for row in waits] == ["b", "e"] * (len(waits) // 2)
    assert {row["ph"] for row in rows} <= {"M", "X", "s", "f", "b", "e", "i"}


def test_graphml_is_read_and_paths_are_causal_precedence(tape: Tape, tmp_path: Path) -> None:
    export(tape, "graphml", tmp_path / "graph.graphml")
    graph = nx.read_graphml(tmp_path / "graph.graphml")
    assert nx.is_directed_acyclic_graph(graph)
    submitted = {(data["message"], node) for node, data in graph.nodes(data=True) if data["event"] == "submitted"}
    delivered = {(data["message"], node) for node, data in graph.nodes(data=True) if data["event"] == "delivered"}
    assert len(delivered) == len(tape.of(EventKind.DELIVERED)["time"])
    of_message = dict(submitted)
    assert all(nx.has_path(graph, of_message[message], node) for message, node in delivered if message in of_message)
    for source, target in graph.edges:
        assert graph.nodes[source]["time"] <= graph.nodes[target]["time"]


def test_csv_has_a_line_for_each_event(tape: Tape) -> None:
    rows = list(csv.DictReader(StringIO(FORMATS["csv"].text(tape))))
    assert [(int(row["time"]), row["event"], row["name"]) for row in rows] == [
        (event.time, event.kind.value, event.name) for event in tape.events()
    ]


def test_a_tape_that_a_program_cannot_show_is_refused(
    tape: Tape, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    short = formats.Format("", "", 3, FORMATS["csv"].text)
    monkeypatch.setitem(FORMATS, "csv", short)
    with pytest.raises(UserError, match=r"csv can show 3; choose a shorter part of the run"):
        export(tape, "csv", tmp_path / "x")
    assert not (tmp_path / "x").exists()
