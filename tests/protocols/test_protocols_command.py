"""`mobilesim protocols` shows the catalogue as it is."""

import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from mobilesim.cli.main import main
from mobilesim.cli.scenarios.protocols import in_a_scenario
from mobilesim.scenario.loader import load
from protocols.catalogue import ORDERINGS, PLACEMENTS, ROWS, pair
from protocols.catalogue_rows import ProtocolRow
from protocols.handoff.visits import HandoffEvent, HandoffStation, Transition, VisitState

Output = pytest.CaptureFixture[str]


def table(row: ProtocolRow) -> Mapping[tuple[VisitState, HandoffEvent], Transition]:
    (station,) = row.build(1, (0,)).stations
    assert isinstance(station, HandoffStation)
    return station.table


def test_the_list_has_a_line_for_each_row_and_names_what_pairs_are_made_of(capsys: Output) -> None:
    assert main(["protocols"]) == 0
    _, *lines = capsys.readouterr().out.splitlines()
    named, of = lines[: lines.index("")], [line.split()[0] for line in lines if line.startswith("  ")]
    assert [line.split()[:3] for line in named] == [[row.name, row.placement, row.ordering] for row in ROWS.values()]
    assert of == [*PLACEMENTS, *ORDERINGS]


def test_an_ordering_by_itself_is_no_protocol_and_the_error_says_what_to_write(capsys: Output) -> None:
    assert main(["protocols", "bss"]) == 2
    told = "bss: that is an ordering; write where it orders, 'resident+bss' or 'proxy+bss'"
    assert capsys.readouterr().err == f"mobilesim: {told}\n"


@pytest.mark.parametrize(
    ("name", "told"),
    (
        ("proxy", "proxy: that is a placement; write what it orders by, like 'proxy+rst'"),
        ("ks+proxy", "ks+proxy: the placement comes first; did you mean 'proxy+ks'?"),
    ),
)
def test_half_a_pair_and_a_pair_the_wrong_way_round_are_told_what_to_write(
    name: str, told: str, capsys: Output
) -> None:
    assert main(["protocols", name]) == 2
    assert capsys.readouterr().err == f"mobilesim: {told}\n"


@pytest.mark.parametrize(
    ("name", "serves"),
    (
        ("proxy+bss", "broadcasts only: messages to all other hosts"),
        ("proxy+transport", "unicasts only: messages to one host"),
        ("flood+isis", "groups only: messages to all other members of a group"),
    ),
)
def test_what_does_not_order_all_messages_says_so(name: str, serves: str, capsys: Output) -> None:
    assert main(["protocols", name]) == 0
    assert f"serves      {serves}\n" in capsys.readouterr().out


def test_the_list_says_which_messages_an_ordering_is_for(capsys: Output) -> None:
    assert main(["protocols"]) == 0
    listed = capsys.readouterr().out
    assert re.search(r"^  transport +.*; unicasts only$", listed, re.MULTILINE)
    assert re.search(r"^  rst +matrix of sends$", listed, re.MULTILINE)


@pytest.mark.parametrize("name", (*ROWS, "resident+fifo"))
def test_a_description_names_claims_options_and_the_whole_hand_off(name: str, capsys: Output) -> None:
    assert main(["protocols", name]) == 0
    text = capsys.readouterr().out
    assert text.startswith((f"{name}\n  paper ", f"{name}\n  ordering "))
    assert ("causal order" in text) == ROWS.get(name, pair("resident", "fifo")).claims.causal
    found = [line.split() for line in text.splitlines()]
    row = ROWS.get(name, pair("resident", "fifo"))
    for option in row.options:
        assert [words for words in found if words and words[0].startswith(f"{option}=")] != []
    for (state, event), step in table(row).items():
        assert [state.value, event.value, step.target.value, *step.actions] in found


@pytest.mark.parametrize("row", (*ROWS.values(), pair("resident", "fifo")), ids=lambda row: row.name)
def test_each_entry_that_a_description_proposes_is_one_for_a_scenario(row: ProtocolRow, tmp_path: Path) -> None:
    _, _, heading, *entries = in_a_scenario(row)
    for entry in entries:
        path = tmp_path / "scenario.yaml"
        path.write_text(f"{heading.strip()}\n{entry}\nhosts: 4\n", encoding="utf-8")
        (choice,) = load(path).protocols
        assert (choice.placement, choice.ordering) == (row.placement, row.ordering)


def test_the_document_holds_what_the_rows_say(capsys: Output) -> None:
    assert main(["protocols", "--json"]) == 0
    documents = json.loads(capsys.readouterr().out)
    assert [document["name"] for document in documents] == list(ROWS)
    for document, row in zip(documents, ROWS.values(), strict=True):
        assert document["claims"]["causal"] == row.claims.causal
        assert document["options"].keys() == row.options.keys()
        assert len(document["handoff"]) == len(table(row))
    assert documents[0]["options"]["location"]["values"] == ["oracle", "lazy"]


def test_the_document_of_one_protocol_is_no_list(capsys: Output) -> None:
    assert main(["protocols", "av1", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["name"] == "av1"


def test_a_name_that_does_not_exist_gets_the_nearest(capsys: Output) -> None:
    assert main(["protocols", "fifa"]) == 2
    assert capsys.readouterr().err == "mobilesim: fifa: no such protocol; did you mean 'fifo'?\n"


@pytest.mark.parametrize(
    ("name", "hint"),
    (
        ("flod+rst", "there is no placement 'flod'; did you mean 'flood'?"),
        ("flood+rts", "there is no ordering 'rts'; did you mean 'rst'?"),
        ("ab+rst", "'ab' is flood+unordered already; did you mean 'flood+rst'?"),
        ("zzz+rst", f"there is no placement 'zzz'; there are {', '.join(PLACEMENTS)}"),
    ),
)
def test_a_pair_that_does_not_exist_gets_the_nearest(name: str, hint: str, capsys: Output) -> None:
    assert main(["protocols", name]) == 2
    assert capsys.readouterr().err == f"mobilesim: {name}: {hint}\n"
