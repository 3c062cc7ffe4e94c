"""Orderings of broadcasts: the placements under which they run, and the errors for other placements and messages."""

import json

import pytest

from mobilesim.cli.main import main
from mobilesim.errors import UserError
from mobilesim.explorer.api import explore, homes_of
from mobilesim.explorer.exploration import Ending
from mobilesim.explorer.untimed_world import Bounds
from mobilesim.protocols.catalogue import PLACEMENTS, pair, pairs
from mobilesim.protocols.catalogue_rows import ProtocolRow
from mobilesim.scenario.loader import loads

Output = pytest.CaptureFixture[str]

ROWS = [row for row in pairs() if row.serves == "broadcasts"]
rows = pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)


def test_broadcast_orderings_run_only_under_proxy_and_resident() -> None:
    assert {row.placement for row in ROWS} == {"proxy", "resident"}
    for placement in PLACEMENTS.keys() - {"proxy", "resident"}:
        with pytest.raises(ValueError, match=f"bss orders broadcasts; {placement} has"):
            pair(placement, "bss")


@pytest.mark.full
@rows
def test_no_schedule_of_broadcasts_has_a_fault(row: ProtocolRow) -> None:
    found = explore(row.build, 2, homes_of(2, 3), Bounds(messages=2, moves=0, destinations=2), {}, reduced=True)
    assert found.ending is Ending.EXHAUSTED


@pytest.mark.full
@rows
def test_the_default_destinations_of_a_broadcast_ordering_are_all_hosts(row: ProtocolRow, capsys: Output) -> None:
    request = ["explore", row.name, "--hosts", "3", "--moves", "0", "--messages", "1", "--json"]
    assert main(request) == 0
    assert json.loads(capsys.readouterr().out)["destinations"] == 2


@pytest.mark.parametrize(
    ("text", "line"),
    (
        (
            "hosts: 4\nworkload: {kind: multicast, destinations: 2}\nprotocols: [proxy+bss]\n",
            (
                "x.yaml:2: workload.destinations: proxy+bss orders broadcasts; write 'destinations: all', "
                "or leave that protocol out"
            ),
        ),
        (
            "hosts: 4\nprotocols: [flood+bss]\n",
            "x.yaml:2: protocols[0]: bss orders broadcasts; flood has (n_h + n_s) processes for n_h hosts",
        ),
    ),
)
def test_a_scenario_with_other_destinations_causes_one_error_line(text: str, line: str) -> None:
    with pytest.raises(UserError) as caught:
        loads(text, "x.yaml")
    assert str(caught.value) == line


@pytest.mark.parametrize("destinations", ("all", "3"))
def test_a_scenario_may_request_broadcasts(destinations: str) -> None:
    text = f"hosts: 4\nworkload: {{kind: multicast, destinations: {destinations}}}\nprotocols: [proxy+bss]\n"
    assert loads(text).protocols[0].label == "proxy+bss"


@pytest.mark.parametrize(
    ("command", "line"),
    (
        (
            "explore proxy+bss --hosts 3 --destinations 1",
            (
                "--destinations 1: proxy+bss orders broadcasts only; write --destinations 2 for 3 hosts, "
                "or leave this option out"
            ),
        ),
        ("explore proxy+bss --groups 0,1", "--groups 0,1: proxy+bss orders broadcasts only; leave this option out"),
        ("explore station+bss", "station+bss: bss orders broadcasts; station has n_s processes for n_h hosts"),
    ),
)
def test_a_command_with_other_destinations_causes_one_error_line(command: str, line: str, capsys: Output) -> None:
    assert main(command.split()) == 2
    assert capsys.readouterr() == ("", f"mobilesim: {line}\n")
