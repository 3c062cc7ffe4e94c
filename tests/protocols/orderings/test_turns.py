"""Suzuki and Kasami's token: there is one token. A request moves it, and without requests it stays at its process."""

from random import Random

import pytest

from mobilesim.protocols.orderings.synchronised.ks_serialised import KsSerialised, KsSerialisedBroadcast
from mobilesim.protocols.orderings.synchronised.mutual_exclusion import Request, Token, TurnProcess
from tests.support.orderings.control_runs import ControlRun, LockstepRun, Script, random_multicasts


def token_holders(run: ControlRun) -> list[int]:
    """Return the processes that have the token."""
    processes = [mailbox.process for mailbox in run.mailboxes]
    return [process.index for process in processes if isinstance(process, TurnProcess) and process.token]


class TokenCounter(ControlRun):
    """A run that checks after every step that there is exactly one token."""

    def count(self) -> None:
        super().count()
        in_transit = [copy.stamp for copies in self.channels.values() for copy in copies]
        assert len(token_holders(self)) + sum(isinstance(stamp, Token) for stamp in in_transit) == 1


@pytest.mark.full
@pytest.mark.parametrize("patience", (0, 12))
@pytest.mark.parametrize("fifo", (False, True))
def test_there_is_one_token_and_every_request_is_granted_once(fifo: bool, patience: int) -> None:  # noqa: FBT001
    for seed in range(60):
        random, size = Random(seed), 2 + seed % 5
        run = TokenCounter(KsSerialised(size), size)
        LockstepRun([run], random, fifo=fifo, patience=patience).run(random_multicasts(random, size, 25, 1, size - 1))
        assert run.finished
        requests = sum(isinstance(packet, Request) for packet in run.controls)
        assert requests == sum(isinstance(packet, Token) for packet in run.controls) > 0


def test_a_process_with_the_token_sends_without_a_request_and_keeps_the_token() -> None:
    script = Script(KsSerialised(3), 3)
    script.submit(0, 1)
    script.submit(0, 2)
    assert script.controls == []
    assert token_holders(script) == [0]


def script_with_requests() -> Script:
    """Return a script in which p1 has requested the token from p0 and p2."""
    script = Script(KsSerialised(3), 3)
    script.submit(1, 2)
    assert script.in_transit(1, 0) == script.in_transit(1, 2) == ["Request"]
    return script


def test_a_process_without_the_token_requests_once_and_then_sends_all_waiting_messages() -> None:
    script = script_with_requests()
    script.submit(1, 0)
    script.submit(1, 2)
    assert len(script.controls) == 1
    script.receive(0, 1)
    assert token_holders(script) == []
    script.receive(1, 0)
    assert script.in_transit(1, 2) == ["Request", 0, 2]
    assert token_holders(script) == [1]


def test_an_already_granted_request_is_not_granted_again() -> None:
    script = script_with_requests()
    script.receive(0, 1)
    script.receive(1, 0)
    script.submit(2, 0)
    script.receive(1, 2)
    script.receive(2, 1, place=2)
    assert token_holders(script) == [2]
    script.receive(2, 1)
    assert script.in_transit(2, 1) == []
    assert token_holders(script) == [2]


def test_an_earlier_request_does_not_replace_a_later_one() -> None:
    script = script_with_requests()
    script.receive(0, 1)
    script.submit(0, 1)
    script.submit(2, 1)
    script.receive(1, 0, place=1)
    assert script.in_transit(1, 0) == []
    script.receive(1, 0)
    script.receive(0, 2)
    script.receive(0, 1)
    script.submit(1, 0)
    assert script.in_transit(1, 2) == ["Request", 0, "Request"]
    script.receive(2, 1, place=2)
    script.receive(2, 1)
    script.receive(2, 0, place=1)
    assert script.in_transit(2, 1)[-2:] == [2, "Token"]


def test_the_token_is_passed_to_queued_processes_before_later_requests() -> None:
    script = Script(KsSerialised(4), 4)
    for process in (1, 2, 3):
        script.submit(process, 0)
    script.receive(1, 2)
    script.receive(1, 3)
    script.receive(0, 1)
    script.receive(1, 0)
    assert script.in_transit(1, 2) == ["Request", "Token"]
    script.submit(0, 1)
    script.receive(2, 0)
    script.receive(2, 1, place=1)
    assert script.in_transit(2, 0) == ["Request", 1]
    assert script.in_transit(2, 3) == ["Request", "Token"]


def test_a_process_does_not_pass_the_token_on_before_its_turn() -> None:
    process = KsSerialised(3).process(1)
    assert process.send((0,), -1) == ()
    process.pending_control()
    process.observe(Request(2, 1))
    process.observe(Token(0, (0, 0, 0), (), (None,) * 3))
    assert process.pending_control() == []
    process.send((0,), -1)
    ((targets, token),) = process.pending_control()
    assert targets == (2,)
    assert isinstance(token, Token)
    assert token.granted == (0, 1, 0)
    assert token.latest == ((1, 1), None, None)


@pytest.mark.parametrize(("kind", "latest"), ((KsSerialised, 2 * 3), (KsSerialisedBroadcast, 2)))
def test_a_request_has_one_integer_and_a_token_has_the_integers_of_its_contents(
    kind: type[KsSerialised | KsSerialisedBroadcast], latest: int
) -> None:
    script = Script(kind(3), 3)
    script.submit(1, 0, 2)
    script.receive(0, 1)
    request, token = script.controls
    assert request.integers == 1
    assert token.integers == 3 + latest
    assert Token(0, (0, 0, 0), (1, 2), (None,)).integers == 3 + 2 + 2
