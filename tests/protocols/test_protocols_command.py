"""The command `mobilesim protocols`, which shows the catalogue."""

import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from mobilesim.cli.main import main
from mobilesim.cli.scenarios.protocols import in_a_scenario
from mobilesim.protocols.catalogue import ORDERINGS, PLACEMENTS, ROWS, pair
from mobilesim.protocols.catalogue_rows import ProtocolRow
from mobilesim.protocols.handoff.visits import HandoffEvent, HandoffStation, Transition, VisitState
from mobilesim.scenario.loader import load

Output = pytest.CaptureFixture[str]


def table(row: ProtocolRow) -> Mapping[tuple[VisitState, HandoffEvent], Transition]:
    (station,) = row.build(1, (0,)).stations
    assert isinstance(station, HandoffStation)
    return station.table


def test_the_list_has_a_line_for_each_row_and_names_placements_and_orderings(capsys: Output) -> None:
    assert main(["protocols"]) == 0
    _, *lines = capsys.readouterr().out.splitlines()
    named, of = lines[: lines.index("")], [line.split()[0] for line in lines if line.startswith("  ")]
    assert [line.split()[:3] for line in named] == [[row.name, row.placement, row.ordering] for row in ROWS.values()]
    assert of == [*PLACEMENTS, *ORDERINGS]


def test_an_error_about_an_ordering_without_a_placement_proposes_pairs(capsys: Output) -> None:
    assert main(["protocols", "bss"]) == 2
    output = "bss: this is an ordering; write it with a placement, 'resident+bss' or 'proxy+bss'"
    assert capsys.readouterr().err == f"mobilesim: {output}\n"


@pytest.mark.parametrize(
    ("name", "output"),
    (
        ("proxy", "proxy: this is a placement; write it with an ordering, like 'proxy+rst'"),
        ("ks+proxy", "ks+proxy: the placement comes first; did you mean 'proxy+ks'?"),
    ),
)
def test_an_error_about_an_incomplete_or_reversed_pair_proposes_a_pair(name: str, output: str, capsys: Output) -> None:
    assert main(["protocols", name]) == 2
    assert capsys.readouterr().err == f"mobilesim: {output}\n"


@pytest.mark.parametrize(
    ("name", "serves"),
    (
        ("proxy+bss", "broadcasts only: messages to all other hosts"),
        ("proxy+transport", "unicasts only: messages to one host"),
        ("flood+isis", "groups only: messages to all other members of a group"),
    ),
)
def test_a_restricted_ordering_names_its_kinds_of_messages(name: str, serves: str, capsys: Output) -> None:
    assert main(["protocols", name]) == 0
    assert f"serves      {serves}\n" in capsys.readouterr().out


def test_the_list_names_the_messages_that_an_ordering_accepts(capsys: Output) -> None:
    assert main(["protocols"]) == 0
    listed = capsys.readouterr().out
    assert re.search(r"^  transport +.*; unicasts only$", listed, re.MULTILINE)
    assert re.search(r"^  rst +matrix of sends$", listed, re.MULTILINE)


@pytest.mark.parametrize("name", (*ROWS, "resident+fifo"))
def test_a_description_names_claims_options_and_hand_off(name: str, capsys: Output) -> None:
    assert main(["protocols", name]) == 0
    text = capsys.readouterr().out
    assert text.startswith((f"{name}\n  paper ", f"{name}\n  ordering "))
    assert ("causal order" in text) == ROWS.get(name, pair("resident", "fifo")).claims.causal
    found = [line.split() for line in text.splitlines()]
    row = ROWS.get(name, pair("resident", "fifo"))
    for option in row.options:
        assert [arguments for arguments in found if arguments and arguments[0].startswith(f"{option}=")] != []
    for (state, event), step in table(row).items():
        assert [state.value, event.value, step.target.value, *step.actions] in found


@pytest.mark.parametrize("row", (*ROWS.values(), pair("resident", "fifo")), ids=lambda row: row.name)
def test_every_entry_proposed_by_a_description_is_valid_in_a_scenario(row: ProtocolRow, tmp_path: Path) -> None:
    _, _, heading, *entries = in_a_scenario(row)
    for entry in entries:
        path = tmp_path / "scenario.yaml"
        path.write_text(f"{heading.strip()}\n{entry}\nhosts: 4\n", encoding="utf-8")
        (choice,) = load(path).protocols
        assert (choice.placement, choice.ordering) == (row.placement, row.ordering)


def test_the_json_document_agrees_with_the_rows(capsys: Output) -> None:
    assert main(["protocols", "--json"]) == 0
    documents = json.loads(capsys.readouterr().out)
    assert [document["name"] for document in documents] == list(ROWS)
    for document, row in zip(documents, ROWS.values(), strict=True):
        assert document["claims"]["causal"] == row.claims.causal
        assert document["options"].keys() == row.options.keys()
        assert len(document["handoff"]) == len(table(row))
    assert documents[0]["options"]["location"]["values"] == ["home", "paging", "lazy", "free"]


def test_the_json_document_of_one_protocol_is_an_object(capsys: Output) -> None:
    assert main(["protocols", "av1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["name"] == "av1"


def test_an_error_about_an_unknown_name_proposes_the_nearest_name(capsys: Output) -> None:
    assert main(["protocols", "fifa"]) == 2
    assert capsys.readouterr().err == "mobilesim: fifa: no such protocol; did you mean 'fifo'?\n"


@pytest.mark.parametrize(
    ("name", "hint"),
    (
        ("flod+rst", "there is no placement 'flod'; did you mean 'flood'?"),
        ("flood+rts", "there is no ordering 'rts'; did you mean 'rst'?"),
        ("ab+rst", "'ab' is flood+unordered; did you mean 'flood+rst'?"),
        ("zzz+rst", f"there is no placement 'zzz'; there are {', '.join(PLACEMENTS)}"),
    ),
)
def test_an_error_about_an_unknown_pair_proposes_the_nearest_pair(name: str, hint: str, capsys: Output) -> None:
    assert main(["protocols", name]) == 2
    assert capsys.readouterr().err == f"mobilesim: {name}: {hint}\n"
