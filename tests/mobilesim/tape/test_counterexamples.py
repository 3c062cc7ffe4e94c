"""Counter-examples of the explorer as tapes and pictures."""

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

import mobilesim as ms
from mobilesim.cli.main import main
from mobilesim.drawing.space_time import space_time
from mobilesim.errors import UserError
from mobilesim.explorer.counterexample_tape import counterexample_tape
from mobilesim.explorer.untimed_world import UntimedWorld
from mobilesim.tape.events import Arrival, EventKind
from mobilesim.tape.tape_file import read_tape
from tests.support.mutants.catalogue import FAR

EXAMPLES = {"fifo": {"hosts": 3, "destinations": 2, "moves": 0}, "unordered": {"hosts": 2}}


@pytest.mark.parametrize("protocol", EXAMPLES)
def test_a_tape_ends_in_the_fault_of_its_counterexample(protocol: str) -> None:
    found = ms.explore(protocol, **EXAMPLES[protocol])  # type: ignore[arg-type]
    assert found.tape is not None
    events = list(found.tape.tape.events())
    faults = [event for event in events if event.kind is EventKind.FAULT]
    assert [fault.name for fault in faults] == [found.fault]
    assert faults[0].time == len(found.steps) == max(event.time for event in events)
    wrong = [event for event in events if event.kind is EventKind.DELIVERED and event.detail >= 0]
    assert [(event.message, event.detail) for event in wrong] == [(faults[0].message, faults[0].detail)]


@pytest.mark.parametrize("name", sorted(FAR))
def test_what_is_sent_is_received_lost_or_in_transit(name: str) -> None:
    """The packets of a tape are those of the untimed world: each arrives once, and what is left is in transit."""
    script = FAR[name].script
    tape = counterexample_tape(script.new_system(), script.homes, script.world.bounds, script.schedule, name)
    legs = [event for event in tape.events() if event.kind in {EventKind.FRAME, EventKind.PACKET}]
    world: UntimedWorld = script.world
    left = len(world.wired) + sum(map(len, world.up)) + sum(map(len, world.down))
    assert sum(leg.detail == Arrival.IN_TRANSIT for leg in legs) == left
    arrivals = sum(action.kind.value in {"up", "down", "wired"} for action in script.schedule)
    assert sum(leg.detail == Arrival.RECEIVED for leg in legs) == arrivals
    assert all(leg.time <= leg.until for leg in legs)
    assert [event.name for event in tape.events() if event.kind is EventKind.FAULT]


def test_a_counterexample_is_written_as_a_listing_a_picture_and_a_tape(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "found"
    assert main(["explore", "unordered", "--out", str(out)]) == 1
    printed = capsys.readouterr()
    assert printed.err.split()[-4:] == [str(out / f"counter-example.{kind}") for kind in ("txt", "svg", "html", "tape")]
    listing = (out / "counter-example.txt").read_text()
    assert listing.splitlines()[1:] == printed.out.splitlines()[1:]
    assert read_tape(out / "counter-example.tape").header.unit == "step"
    texts = [text.text for text in ET.parse(out / "counter-example.svg").iter() if text.text]
    assert any("fault: host 1 delivers m1 before m0" in text for text in texts)


def test_a_counterexample_in_which_hosts_leave_is_a_listing(tmp_path: Path) -> None:
    assert main(["explore", "resident+unordered", "--hosts", "3", "--leaves", "1", "--out", str(tmp_path)]) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["counter-example.txt"]


def test_nothing_is_written_without_a_fault(tmp_path: Path) -> None:
    assert main(["explore", "av1", "--messages", "1", "--moves", "0", "--out", str(tmp_path / "no")]) == 0
    assert not (tmp_path / "no").exists()


def test_a_picture_of_a_long_run_is_refused(tmp_path: Path) -> None:
    scenario = tmp_path / "s.yaml"
    scenario.write_text("name: s\nhosts: 2\nduration: 1 s\nprotocols: [fifo]\n")
    tape = ms.run(str(scenario)).replay()
    with pytest.raises(UserError, match="a picture shows counter-examples"):
        space_time(tape.tape, "long")
