"""`mobilesim check` of orderings whose processes may join and leave, also of other packages."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from mobilesim.cli.main import main
from mobilesim.conformance.membership_checks import NETWORKS, check_executions, check_schedules
from mobilesim.conformance.verdict import CheckResult
from mobilesim.extensions.outside_protocols import outside_ordering
from mobilesim.extensions.plugin_files import load_plugins
from mobilesim.protocols.catalogue import ORDERINGS, ordering_row
from mobilesim.protocols.catalogue_rows import OrderingRow
from tests.support.outside_packages import fresh_extensions

PLUGIN: Final = """\
from mobilesim.contract.orderings import OrderingRow, declares
from mobilesim.protocols.orderings.fifo import Fifo, FifoProcess


class OwnProcess(FifoProcess):
    __slots__ = ()

    {body}


@declares(OrderingRow("own", "-", "-", "1", causal=False, stamps="destination", membership=()))
class Own(Fifo):
    def process(self, index):
        return OwnProcess(index)
"""
KEEPS: Final = "left = removed = lambda self, process: None"
DROPS_EARLY: Final = "left = FifoProcess.removed"
RAISES: Final = "left = lambda self, process: self.forgotten"


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    with fresh_extensions():
        yield


def own(tmp_path: Path, body: str) -> Path:
    file = tmp_path / "own.py"
    file.write_text(PLUGIN.format(body=body), encoding="utf-8")
    return file


def row_of(tmp_path: Path, body: str) -> OrderingRow:
    load_plugins([own(tmp_path, body)])
    assert outside_ordering("own:Own") is not None
    return ordering_row("own:Own")


def results(row: OrderingRow) -> Iterator[CheckResult]:
    yield check_executions("random", row, 20)
    yield from (check_schedules(name, row, 30_000, lambda *_: None) for name in NETWORKS)


@pytest.mark.full
@pytest.mark.parametrize("name", [row.name for row in ORDERINGS.values() if row.is_dynamic])
def test_the_orderings_with_membership_pass(name: str) -> None:
    found = list(results(ORDERINGS[name]))
    assert [(each.check, each.passed, each.text) for each in found if not each.passed] == []
    assert all(each.text.startswith("every one") for each in found[1:])


@pytest.mark.full
def test_an_ordering_of_another_package_passes_and_orders_a_scenario(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert all(result.passed for result in results(row_of(tmp_path, "__slots__ = ()")))
    scenario = tmp_path / "x.yaml"
    keys = "network: static\nduration: 20 s\nprotocols: resident+own:Own\nmembership: {stay: exponential 9 s}\n"
    scenario.write_text(keys, encoding="utf-8")
    plugin = ["--plugin", str(tmp_path / "own.py"), "--no-summary", "--out", str(tmp_path / "results")]
    assert main(["run", str(scenario), *plugin]) == 0
    assert "not made because their hosts had left" in capsys.readouterr().out


@pytest.mark.full
@pytest.mark.parametrize(
    ("body", "text"),
    ((KEEPS, "remove what is stored about processes that were removed"), (RAISES, "AttributeError")),
    ids=("keeps", "raises"),
)
def test_random_executions_refuse_a_broken_ordering(body: str, text: str, tmp_path: Path) -> None:
    result = check_executions("random", row_of(tmp_path, body), 20)
    assert not result.passed
    assert text in result.text


@pytest.mark.full
def test_the_search_shows_a_broken_ordering_by_a_shortest_schedule(tmp_path: Path) -> None:
    result = check_schedules(next(iter(NETWORKS)), row_of(tmp_path, DROPS_EARLY), 30_000, lambda *_: None)
    assert (result.passed, result.text) == (False, "a shortest failing schedule of 9 steps")
    assert result.listing[4].split() == [
        *("5", "the", "service", "receives", "Leave", "from", "h0"),
        *("Left(h0,", "2", "messages)", "to", "h1;", "Left(h0,", "0", "messages)", "to", "h2"),
    ]
    assert result.listing[9] == "fault: no packet is in transit, and m1 was not delivered to host 1"


def test_a_search_that_reaches_its_limit_says_so() -> None:
    result = check_schedules(next(iter(NETWORKS)), ORDERINGS["ks"], 100, lambda *_: None)
    assert result.passed
    assert result.text.endswith(", until the limit of 100 was reached")


@pytest.mark.parametrize(
    ("arguments", "line"),
    (
        (["av1", "--joins", "1"], "--joins 1: av1 has a fixed set of processes; write one of resident+unordered, "),
        (["resident+rst", "--leaves", "1"], "--leaves 1: rst has a fixed set of processes; write one of "),
        (
            ["resident+mr", "--leaves", "1"],
            "--leaves 1: resident+mr has a fixed set of processes: its paper leaves joining and leaving as future work",
        ),
        (
            ["resident+ks", "--leaves", "1", "--set", "hardware=true"],
            "--leaves 1: with 'hardware: true', resident+ks has a fixed set of processes; leave this option out",
        ),
        (
            ["resident+ks", "--joins", "1", "--fifo"],
            "--joins 1: hosts join and leave a static network; leave --fifo out",
        ),
        (["resident+ks", "--joins", "-1"], "--joins -1: expected 0 or more"),
    ),
)
def test_explore_refuses_what_has_fixed_processes(
    arguments: list[str], line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explore", *arguments]) == 2
    assert line in capsys.readouterr().err


def test_explore_tries_joins_and_leaves_with_a_flush(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explore", "resident+bss", "--hosts", "2", "--joins", "1", "--messages", "1"]) == 0
    assert capsys.readouterr().out.startswith("resident+bss: 156 states, ")


def test_explore_tries_joins_and_leaves(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explore", "resident+ks", "--leaves", "1", "--messages", "1"]) == 0
    assert capsys.readouterr().out.startswith("resident+ks: 61 states, 78 transitions, depth 7, ")
    assert main(["explore", "resident+unordered", "--leaves", "1"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[1:] == [
        "(h: host; the service numbers the hosts that join, and tells the others of joins and leaves)",
        "  1  h0 submits m0 to h1",
        "  2  h0 submits m1 to h1",
        "  3  m1 arrives at h1     h1 delivers m1",
        "fault: host 1 delivers m1 before m0, which the same host sent before it",
    ]
