"""`mobilesim explore`: its output, its listing of a schedule, and its errors."""

import json
import os
import re
import signal
import subprocess
import sys

import pytest

from mobilesim.cli.main import main
from mobilesim.explorer.api import explore
from mobilesim.explorer.counterexample_text import LEGEND, described
from mobilesim.explorer.untimed_world import Bounds
from mobilesim.protocols.catalogue import ORDERINGS, ROWS
from mobilesim.protocols.handoff.visits import HandoffBegin
from mobilesim.protocols.handoff.wireless_hop import Data, Register
from mobilesim.protocols.packets import UNSTAMPED, Copy, Message, RoutedPacket
from mobilesim.protocols.placements.location_packets import LocationUpdate

Output = pytest.CaptureFixture[str]

UNORDERED = f"""\
({LEGEND}; start: h0@s0 h1@s1)
  1  h0 submits m0 to h1                    h0 ~> s0 Data(#0 m0)
  2  s0 receives from h0: Data(#0 m0)       s0 -> s1 RoutedPacket(m0); s0 ~> h0 Ack(#0)
  3  h0 submits m1 to h1                    h0 ~> s0 Data(#1 m1)
  4  s0 receives from h0: Data(#1 m1)       s0 -> s1 RoutedPacket(m1); s0 ~> h0 Ack(#1)
  5  s1 receives from s0: RoutedPacket(m1)  s1 ~> h1 Data(#0 m1)
  6  h1 receives from s1: Data(#0 m1)       h1 delivers m1; h1 ~> s1 Ack(#0)
fault: host 1 delivers m1 before m0, which the same host sent before it
"""


def counted(*, reduced: bool) -> str:
    found = explore(ROWS["av1"].build, 2, (0, 1), Bounds(2, 1), reduced=reduced)
    return f"av1: {found.states:,} states, {found.transitions:,} transitions, depth {found.depth}, "


@pytest.mark.full
def test_a_search_without_fault_prints_one_line_and_exits_with_0(capsys: Output) -> None:
    assert main(["explore", "av1", "--messages", "2", "--moves", "1"]) == 0
    line = capsys.readouterr().out
    assert re.fullmatch(re.escape(counted(reduced=True)) + r"\d+\.\d s: no fault\n", line)


@pytest.mark.full
def test_a_full_search_counts_all_states(capsys: Output) -> None:
    assert main(["explore", "av1", "--messages", "2", "--moves", "1", "--no-reduction"]) == 0
    assert capsys.readouterr().out.startswith(counted(reduced=False))


def test_a_fault_is_printed_with_its_shortest_schedule_and_exits_with_1(capsys: Output) -> None:
    assert main(["explore", "unordered", "--set", "location=free"]) == 1
    summary, listing = capsys.readouterr().out.split("\n", 1)
    assert summary.endswith("s: a fault after 6 steps (unordered claims no FIFO order)")
    assert listing == UNORDERED


def test_a_search_that_reaches_its_limit_exits_with_3(capsys: Output) -> None:
    assert main(["explore", "av1", "--limit", "300"]) == 3
    assert "not exhausted; no fault so far, which proves nothing" in capsys.readouterr().out


@pytest.mark.full
def test_the_json_document_has_the_request_and_the_result(capsys: Output) -> None:
    request = [
        "explore",
        "fifo",
        "--hosts",
        "3",
        "--moves",
        "0",
        "--destinations",
        "2",
        "--set",
        "location=lazy",
        "--json",
    ]
    assert main(request) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["options"] == {"location": "lazy", "area": 0}
    assert document["homes"] == [0, 1, 0]
    assert document["ending"] == "fault"
    assert document["claims_causal"] is False
    assert len(document["listing"]) == document["depth"] == 9
    assert document["fault"] == "host 1 delivers m1 before m0, which happened before it"
    assert (document["fault_kind"], document["claims_fifo"], document["tolerated"]) == ("overtakes", True, [])
    assert (document["reduced"], document["shortest"]) == (False, True)


@pytest.mark.full
def test_a_violation_of_an_unclaimed_order_is_described_and_can_be_tolerated(capsys: Output) -> None:
    request = ["explore", "fifo", "--hosts", "3", "--destinations", "2", "--moves", "0"]
    assert main(request) == 1
    assert "(fifo claims no causal order)" in capsys.readouterr().out
    assert main([*request, "--judge-claims-only"]) == 0
    assert capsys.readouterr().out.endswith("no fault\n")


def test_the_json_document_of_a_search_without_fault_has_no_fault(capsys: Output) -> None:
    assert main(["explore", "rst", "--messages", "1", "--moves", "1", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["fault"], document["listing"], document["reduced"]) == (None, [], True)


def test_a_pair_without_a_name_can_be_explored(capsys: Output) -> None:
    assert main(["explore", "resident+fifo", "--messages", "1", "--moves", "1", "--homes", "1,0"]) == 0
    assert re.fullmatch(r"resident\+fifo: \d+ states, .*: no fault\n", capsys.readouterr().out)


def test_on_fifo_channels_messages_stay_in_order(capsys: Output) -> None:
    assert main(["explore", "unordered", "--moves", "0", "--fifo"]) == 0
    assert capsys.readouterr().out.endswith("no fault\n")


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    (
        (["av11"], "av11: no such protocol; did you mean 'av1'?"),
        (["total"], f"total: no such protocol; there are {', '.join(ROWS)}, and any placement+ordering"),
        (["proxy+total"], f"proxy+total: there is no ordering 'total'; there are {', '.join(ORDERINGS)}"),
        (["PRS"], "PRS: no such protocol; did you mean 'prs'?"),
        (["Proxy+rst"], "Proxy+rst: there is no placement 'Proxy'; did you mean 'proxy'?"),
        (["av1", "--stations", "0"], "--stations 0: expected 1 or more"),
        (["av1", "--hosts", "1"], "--hosts 1: expected 2 or more"),
        (["av1", "--messages", "-1"], "--messages -1: expected 0 or more"),
        (["av1", "--moves", "-1"], "--moves -1: expected 0 or more"),
        (["av1", "--destinations", "2"], "--destinations 2: expected 1 to 1 with 2 hosts"),
        (["av1", "--limit", "0"], "--limit 0: expected 1 or more"),
        (["av1", "--homes", "0,2"], "--homes 0,2: expected 2 station numbers from 0 to 1, such as 0,1"),
        (["av1", "--homes", "0"], "--homes 0: expected 2 station numbers from 0 to 1, such as 0,1"),
        (["av1", "--homes", "0,x"], "--homes 0,x: expected 2 station numbers from 0 to 1, such as 0,1"),
        (["av1", "--set", "place=lazy"], "--set place=lazy: av1 has no option 'place'; it has location, area"),
        (
            ["av1", "--set", "locatoin=lazy"],
            "--set locatoin=lazy: av1 has no option 'locatoin'; did you mean 'location'?",
        ),
        (["av2", "--set", "k=2"], "--set k=2: av2 has no option 'k'; it has none"),
        (["av3", "--set", "k=0"], "--set k=0: expected a whole number in 1..64"),
        (
            ["av1", "--set", "location=Lazy"],
            "--set location=Lazy: expected one of home, paging, lazy, free; did you mean 'lazy'?",
        ),
        (["av1", "--set", "area=2"], "--set area=2: this option has an effect with location=paging only"),
        (["av1", "--set", "location"], "--set location: expected one of home, paging, lazy, free"),
    ),
)
def test_bad_arguments_cause_one_error_line(arguments: list[str], complaint: str, capsys: Output) -> None:
    assert main(["explore", *arguments]) == 2
    assert capsys.readouterr().err == f"mobilesim: {complaint}\n"


ANNOUNCING = """
import sys
from mobilesim.api import progress
from mobilesim.cli.main import main
progress.SECONDS_BETWEEN_LINES = 0.0
sys.exit(main())
"""


def test_an_interrupted_search_reports_its_progress_and_exits_with_130() -> None:
    child = subprocess.Popen(
        [sys.executable, "-c", ANNOUNCING, "explore", "av1", "--messages", "4"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert child.stderr is not None
    child.stderr.readline()
    os.kill(child.pid, signal.SIGINT)
    out, _ = child.communicate()
    assert child.returncode == 130
    assert out.endswith("interrupted; no fault so far, which proves nothing\n")


COPY = Copy(Message(4, 0, (1, 2), 1), (1, 2), UNSTAMPED)


@pytest.mark.parametrize(
    ("packet", "text"),
    (
        (Data(3, (COPY,), 0), "Data(#3 m0 for h1 h2)"),
        (RoutedPacket(Copy(COPY.message, (2,), UNSTAMPED), 1), "RoutedPacket(m0)"),
        (Register(2, 1, (0, 3), 5), "Register(e2 v1 via s0 s3 received #5)"),
        (Register(2, 1, (), -1), "Register(e2 v1)"),
        (HandoffBegin(1, 2, (0,), 3), "HandoffBegin(h1 v2 via s0 at s3)"),
        (LocationUpdate(1, 2, 3), "LocationUpdate(h1 v2 at s3)"),
    ),
)
def test_a_packet_is_described_by_its_fields(packet: object, text: str) -> None:
    assert described(packet, {4: "m0"}) == text


def test_the_progress_says_when_a_shortest_schedule_is_searched(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("mobilesim.api.progress.SECONDS_BETWEEN_LINES", 0.0)
    assert main(["explore", "unordered", "--moves", "0"]) == 1
    first, *_, last = capsys.readouterr().err.splitlines()
    assert first.startswith("unordered: ")
    assert "fault" not in first
    assert last.startswith("unordered: a fault was found; searching for a shortest schedule: ")
