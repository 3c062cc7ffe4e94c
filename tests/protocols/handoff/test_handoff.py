"""The state tables of hand-offs, and the events that the tables exclude."""

import ast
from pathlib import Path

import pytest

import mobilesim.protocols
from mobilesim.oracle.verdicts import FaultKind
from mobilesim.protocols.catalogue import ROWS, pair
from mobilesim.protocols.catalogue_rows import ProtocolRow
from mobilesim.protocols.handoff.flush_handoff import FLUSH_TABLE
from mobilesim.protocols.handoff.visits import (
    DIRECT_TABLE,
    HandoffBegin,
    HandoffEvent,
    HandoffStation,
    Visit,
    VisitState,
)
from mobilesim.protocols.handoff.wireless_hop import Ack, Data, Register, Registered
from mobilesim.protocols.machine import ProtocolError
from mobilesim.protocols.packets import UNSTAMPED, Copy, Message, Packet, RoutedPacket
from mobilesim.protocols.placements.flood import FLOOD_TABLE
from mobilesim.protocols.placements.proxy import Handover
from tests.support.protocols.recording import HostNotes, StationNotes
from tests.support.protocols.script import FREE, Script
from tests.support.protocols.variants import PLACES

TABLES = {"proxy": DIRECT_TABLE, "logical": FLUSH_TABLE, "flood": FLOOD_TABLE}
each = pytest.mark.parametrize("placement", TABLES)
BEGIN = HandoffBegin(0, 1, (0,), 1)
DATA = Data(0, (Copy(Message(0, 0, (1,), 1), (1,), UNSTAMPED),), 0)


@each
def test_every_state_of_a_table_is_reachable_and_left_is_the_only_final_state(placement: str) -> None:
    table = TABLES[placement]
    reached, states = {VisitState.ABSENT}, {state for state, _ in table} | {step.target for step in table.values()}
    for _ in states:
        reached |= {step.target for (state, _), step in table.items() if state in reached}
    assert reached == states
    assert {state for state, _ in table} == states - {VisitState.LEFT}


@each
def test_every_state_of_a_table_has_a_path_to_the_end_of_the_visit(placement: str) -> None:
    table = TABLES[placement]
    ending = {VisitState.LEFT}
    for _ in VisitState:
        ending |= {state for (state, _), step in table.items() if step.target in ending}
    assert ending == {state for state, _ in table} | {VisitState.LEFT}


def test_only_flushed_hand_offs_use_all_states() -> None:
    assert {state for state, _ in FLUSH_TABLE} | {VisitState.LEFT} == set(VisitState)
    assert {state for state, _ in DIRECT_TABLE} == {state for state, _ in FLOOD_TABLE}


@pytest.mark.parametrize("row", PLACES, ids=lambda row: row.placement)
def test_a_station_has_a_method_for_every_action_of_its_table(row: ProtocolRow) -> None:
    for station in row.build(2, (0, 1)).stations:
        assert isinstance(station, HandoffStation)
        assert station.table in TABLES.values()
        actions = {action for step in station.table.values() for action in step.actions}
        assert actions <= station.actions().keys()


@each
@pytest.mark.parametrize("state", VisitState)
@pytest.mark.parametrize("event", HandoffEvent)
def test_an_event_without_a_transition_raises_an_exception(
    placement: str, state: VisitState, event: HandoffEvent
) -> None:
    if (state, event) in TABLES[placement]:
        return
    station = _station(placement)
    visit = station.newest[0]
    visit.state = state
    with pytest.raises(ProtocolError, match=f"station 0, host 0, visit 0: {event} is impossible in {state}"):
        station.step(visit, event, StationNotes())


def test_a_second_request_for_one_state_raises_an_exception() -> None:
    station, out = _station(), StationNotes()
    station.receive(BEGIN, out)
    with pytest.raises(ProtocolError):
        station.receive(BEGIN, out)


@pytest.mark.parametrize(
    ("host", "frame", "complaint"),
    (
        (7, DATA, "which never registered"),
        (0, Registered(3), "received Registered"),
    ),
)
def test_a_station_raises_an_exception_for_an_impossible_frame(host: int, frame: Packet, complaint: str) -> None:
    with pytest.raises(ProtocolError, match=complaint):
        _station().receive_frame(host, frame, StationNotes())


def test_a_station_raises_an_exception_for_a_message_of_a_host_that_has_left() -> None:
    station, out = _station(), StationNotes()
    station.receive(BEGIN, out)
    with pytest.raises(ProtocolError, match="which has left"):
        station.receive_frame(0, DATA, out)


def test_a_station_raises_an_exception_for_a_message_to_a_host_without_a_record() -> None:
    with pytest.raises(ProtocolError, match="has no record of host 7"):
        _station().receive(RoutedPacket(Copy(Message(0, 0, (7,), 1), (7,), UNSTAMPED), 0), StationNotes())


@pytest.mark.parametrize("frame", (Register(1, 1, (0,), -1), Registered(5)))
def test_a_host_raises_an_exception_for_an_impossible_frame(frame: Packet) -> None:
    with pytest.raises(ProtocolError, match="host 0, in registration 0, received"):
        ROWS["av1"].build(1, (0, 0)).hosts[0].receive_frame(frame, HostNotes())


def test_a_request_creates_the_record_of_an_unknown_host() -> None:
    station, out = _station(), StationNotes()
    station.receive(HandoffBegin(1, 2, (1, 0), 2), out)
    ((target, begin),) = out.sent
    assert (target, begin) == (1, HandoffBegin(1, 1, (1,), 0))
    assert [milestone.inferred for milestone in out.milestones] == [False, True]


def test_a_registration_of_a_known_visit_sends_no_wired_packet() -> None:
    station, out = _station(), StationNotes()
    station.receive_frame(0, Register(1, 0, (), -1), out)
    assert out.sent == []
    assert out.transmitted == [(0, Registered(1))]


def test_an_exception_of_a_machine_is_a_fault_of_its_schedule() -> None:
    script = Script(ROWS["av1"].build, 2, (0, 1), FREE).submit(0, 1)
    script.world.up[0] = (Registered(9),)
    script.up(0)
    (fault,) = script.world.faults
    assert fault.kind is FaultKind.FAILED
    assert "received Registered" in fault.reason


def test_an_older_record_is_deleted_after_its_state_was_transferred() -> None:
    script = Script(ROWS["av1"].build, 2, (0, 1), FREE)
    for cell in (1, 0, 1, 0):
        script.move(0, cell).up(0)
    script.drain()
    for machine in script.driver.machines[2:]:
        assert isinstance(machine, HandoffStation)
        assert machine.older == {}
        assert machine.pending == 0


def test_an_acknowledgement_covers_all_earlier_frames() -> None:
    station, out = _station(), StationNotes()
    visit = station.newest[0]
    for _ in range(3):
        visit.sender.enqueue(DATA.copies, 0)
    station.receive_frame(0, Ack(1), out)
    assert [frame.number for frame in visit.sender.unacknowledged] == [2]


def test_the_size_of_a_state_includes_all_waiting_messages() -> None:
    script = Script(ROWS["av1"].build, 2, (0, 1), FREE).submit(1, 0).submit(1, 0).up(1, 1)
    script.wire("RoutedPacket", 0).move(0, 1).up(0).wire("HandoffBegin", 0)
    (packet,) = script.packets("Handover")
    assert isinstance(packet, Handover)
    assert packet.payload == 1
    assert packet.header == 0


def _station(placement: str = "proxy") -> HandoffStation[Visit]:
    station = pair(placement, "rst").build(3, (0, 1)).stations[0]
    assert isinstance(station, HandoffStation)
    return station


def test_only_the_table_changes_the_state_of_a_visit() -> None:
    root = Path(mobilesim.protocols.__file__).parent
    assigned = {
        (path.relative_to(root).as_posix(), function.name)
        for path in root.rglob("*.py")
        for function in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(function, ast.FunctionDef)
        for node in ast.walk(function)
        if isinstance(node, ast.Attribute) and node.attr == "state" and isinstance(node.ctx, ast.Store)
    }
    assert assigned == {("handoff/visits.py", "__init__"), ("handoff/visits.py", "transition")}
