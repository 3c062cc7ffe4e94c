"""The causes of delays in worlds without randomness, where each cause is known."""

from typing import Final

import pytest

from mobilesim.api.experiments import run
from mobilesim.causes.cause import Cause
from mobilesim.causes.delay_causes import DelayCauses
from mobilesim.causes.explanation import Explanation
from mobilesim.causes.questions import latest, why
from mobilesim.causes.undelivered import Undelivered
from mobilesim.errors import UserError
from tests.support.durations import ONE_MESSAGE, REGISTER, UP
from tests.support.explained_runs import every, explanations, require_sums, tables_of
from tests.support.simulations import MS, FinishedRun, Play, Script

STAGES: Final = ("between_cells", "registered", "request", "complete")


def explained(run: FinishedRun, message: int) -> Explanation:
    """Return the explanation of a message with one destination, after a check of the sums of all deliveries."""
    tables = tables_of(run.directory)
    for row, explanation in explanations(tables):
        require_sums(row, explanation)
    found = why(tables, message, None)
    assert isinstance(found, Explanation)
    return found


def part(explanation: Explanation, what: str) -> Cause:
    (cause,) = (cause for cause in explanation.causes if cause.what == what)
    return cause


def test_a_message_that_meets_no_obstacle_has_only_transmission(play: Play) -> None:
    found = explained(play(Script(ONE_MESSAGE)), 0)
    assert [cause.what for cause in found.causes] == ["uplink_air", "processing", "wired", "processing", "downlink_air"]
    assert [cause.text for cause in found.causes] == [
        "was on the uplink from h0 to s0",
        "was processed at s0",
        "was on wired links from s0 to s1",
        "was processed at s1",
        "was on the downlink from s1 to h1",
    ]
    assert (found.waited, found.explained) == (0, 0)


def test_a_frame_waits_behind_the_frame_of_an_earlier_message(play: Play) -> None:
    queue = part(explained(play(Script([(100 * MS, 0, 1), (100 * MS + 1000, 0, 1)])), 1), "uplink_queue")
    (frame,) = queue.causes
    assert (frame.what, frame.message, frame.named) == ("frame", 0, True)
    assert frame.text == "behind m0 from h0"
    assert frame.length == queue.length == UP - 500_000 - 1000  # the next frame need not wait for the propagation


def test_a_handoff_of_the_destination_is_named_with_its_stages(play: Play) -> None:
    found = explained(play(Script(ONE_MESSAGE, [(102 * MS, 1, 2)], gap=20 * MS)), 0)
    (handoff,) = part(found, "unreachable").causes
    assert (handoff.what, handoff.host, handoff.named) == ("handoff", 1, True)
    assert handoff.text == "hand-off 1 of h1 from s1 to s2"
    assert [stage.what for stage in handoff.causes] == [*STAGES]
    assert handoff.causes[0].text == "between the cells"
    assert found.waited == found.explained == handoff.length


def test_a_handoff_of_the_sender_is_named(play: Play) -> None:
    found = explained(play(Script(ONE_MESSAGE, [(95 * MS, 0, 2)], gap=10 * MS)), 0)
    away = part(found, "sender_away")
    (handoff,) = away.causes
    assert handoff.text == "hand-off 1 of h0 from s0 to s2"
    assert [stage.what for stage in handoff.causes] == ["between_cells", "registered", "after_stages"]
    assert [stage.length for stage in handoff.causes][:2] == [5 * MS, REGISTER]
    assert handoff.causes[2].text == "until h0 had the answer to its registration"
    (hold,) = part(found, "source_hold").causes
    assert hold.text == handoff.text


def test_a_disconnection_is_named_also_in_the_same_cell(play: Play) -> None:
    found = explained(play(Script(ONE_MESSAGE, [(95 * MS, 1, 1)], gap=300 * MS, off=True)), 0)
    (gone,) = part(found, "unreachable").causes
    assert (gone.what, gone.host, gone.text) == ("disconnection", 1, "disconnection of h1 from s1")
    assert gone.causes[0].text == "switched off"


def test_a_return_to_the_cell_without_a_row_is_told_apart_from_a_handoff(play: Play) -> None:
    found = explained(play(Script(ONE_MESSAGE, [(95 * MS, 1, 1)], gap=50 * MS)), 0)
    (back,) = part(found, "unreachable").causes
    assert (back.what, back.text) == ("return", "h1 had left its cell and returned to it")


STATIC: Final = {"network": "static", "hosts": 4, "messages": 60, "workload": {"interval": "exponential 300 ms"}}
LINKS: Final = {"delay": "exponential 1 s", "service": "independent"}


def test_a_message_in_a_send_queue_waits_for_the_message_in_front() -> None:
    results = run(STATIC, links=LINKS, protocols=["resident+transport"], replications=1)
    held = [
        (explanation, cause)
        for explanation in results.latest(1000)
        for cause in explanation.causes
        if cause.what == "send_queue"
    ]
    assert held
    for explanation, cause in held:
        assert cause.text == f"was held in the send queue of {explanation.source}"
        for front in cause.causes:
            assert front.what == "message"
            assert front.message < explanation.message
            assert front.text == f"behind m{front.message} from {explanation.source}, which was not acknowledged yet"


def test_a_causal_wait_names_the_message_that_arrived_and_its_path() -> None:
    results = run(STATIC, links=LINKS, protocols=["rst"], replications=1)
    rows = {(row["message"], row["destination"]): row for row in results.deliveries.arrow().to_pylist()}
    waits = [
        (rows[explanation.message, explanation.destination], cause)
        for explanation in results.latest(1000)
        for cause in explanation.causes
        if cause.what == "causal_wait"
    ]
    assert len(waits) > 5
    for row, cause in waits:
        (first, *others) = cause.causes
        assert {below.what for below in (first, *others)} == {"message"}
        assert (others or [first])[-1].message == row["waited_for"] or others == []
        assert all(below.causes for below in cause.causes)
        assert {leaf.what for leaf in every(first.causes)} <= {"wired", "not_submitted", "causal_wait", "message"}


@pytest.mark.full
def test_a_dropped_message_says_what_is_known() -> None:
    results = run("stress/switched-off", quick=True, protocols=["av1"], replications=1)
    tables = tables_of(results.directory)  # type: ignore[arg-type]  # a local path
    delivered = {(row["message"], row["destination"]) for row in results.deliveries.arrow().to_pylist()}
    sent = [(row["message"], host) for row in results.messages.arrow().to_pylist() for host in row["destinations"]]
    missing = [pair for pair in sent if pair not in delivered]
    assert missing
    found = why(tables, *missing[0])
    assert isinstance(found, Undelivered)
    assert str(found).startswith(f"m{missing[0][0]} from {found.source} to h{missing[0][1]}: not delivered\n")
    assert f"stations discarded for h{missing[0][1]}, as it had requested when it switched off: " in str(found)
    assert ": switched off at " in str(found)
    assert found.document()["delay"] is None


def test_wrong_questions_get_one_line(play: Play) -> None:
    tables = tables_of(play(Script(ONE_MESSAGE)).directory)
    with pytest.raises(UserError, match=r"^message 7: no such message; there are 0 to 0$"):
        why(tables, 7, 1)
    with pytest.raises(UserError, match=r"^host 0: message 0 was sent to 1, and not to this host$"):
        why(tables, 0, 0)
    with pytest.raises(UserError, match=r"^latest 0: expected 1 or more deliveries$"):
        latest(tables, 0)


def test_a_run_without_deliveries_is_refused(play: Play) -> None:
    tables = tables_of(play(Script()).directory)
    with pytest.raises(UserError, match=r"^av1.*: the run has no deliveries in its tables"):
        latest(tables, 3)


def test_the_latest_deliveries_are_those_with_the_longest_delays(play: Play) -> None:
    run = play(Script([(100 * MS, 0, 1), (100 * MS, 1, 0), (101 * MS, 0, 1)], [(102 * MS, 1, 2)]))
    found = latest(tables_of(run.directory), 2)
    delays = sorted((row["delay"] for row in run.deliveries), reverse=True)
    assert [item.delay for item in found] == delays[:2]
    assert found.deliveries == len(delays) == 3
    assert DelayCauses(tables_of(run.directory)).explain(0).median == sorted(delays)[1]


def test_the_text_of_an_explanation(play: Play) -> None:
    found = explained(play(Script(ONE_MESSAGE, [(102 * MS, 1, 2)], gap=20 * MS)), 0)
    assert (
        str(found)
        == """\
m0 from h0 to h1: 38.4 ms (median of av1 location=free: 38.4 ms)
    1.5 ms  was on the uplink from h0 to s0
    7.0 ms  was on wired links from s0 towards s2
   28.3 ms  waited for h1, which could not be reached: hand-off 1 of h1 from s1 to s2
       13.4 ms  between the cells
      0.788 ms  until the new station had its registration
        7.0 ms  until the old station had the request for its state
        7.1 ms  until the new station could send it any message
    1.5 ms  was on the downlink from s2 to h1
  0.032 ms  transmission, processing and other parts of less than 1 % each"""
    )
