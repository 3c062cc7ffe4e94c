"""Suzuki and Kasami's token: one for all, whoever asks gets it, and it rests when nobody does."""

from random import Random

import pytest

from protocols.orderings.ks_serialised import KsSerialised, KsSerialisedBroadcast
from protocols.orderings.mutual_exclusion import Request, Token, TurnProcess
from tests.support.orderings.speaking import Play, Script, SpeakingTrial, to_some


def turn(trial: SpeakingTrial) -> list[int]:
    """Who has the token."""
    processes = [post.process for post in trial.posts]
    return [process.index for process in processes if isinstance(process, TurnProcess) and process.token]


class Counted(SpeakingTrial):
    """There is one token after every step."""

    def count(self) -> None:
        super().count()
        under_way = [copy.stamp for copies in self.channels.values() for copy in copies]
        assert len(turn(self)) + sum(isinstance(stamp, Token) for stamp in under_way) == 1


@pytest.mark.full
@pytest.mark.parametrize("patience", (0, 12))
@pytest.mark.parametrize("fifo", (False, True))
def test_there_is_one_token_and_every_request_is_granted_once(fifo: bool, patience: int) -> None:  # noqa: FBT001
    for seed in range(60):
        random, size = Random(seed), 2 + seed % 5
        trial = Counted(KsSerialised(size), size)
        Play([trial], random, fifo=fifo, patience=patience).run(to_some(random, size, 25, 1, size - 1))
        assert trial.finished
        requests = sum(isinstance(word, Request) for word in trial.words)
        assert requests == sum(isinstance(word, Token) for word in trial.words) > 0


def test_who_has_the_token_sends_without_a_word_and_keeps_it() -> None:
    script = Script(KsSerialised(3), 3)
    script.sends(0, 1)
    script.sends(0, 2)
    assert script.words == []
    assert turn(script) == [0]


def asked() -> Script:
    """p1 has asked p0 and p2 for the token."""
    script = Script(KsSerialised(3), 3)
    script.sends(1, 2)
    assert script.under_way(1, 0) == script.under_way(1, 2) == ["Request"]
    return script


def test_who_has_not_asks_all_others_once_and_sends_all_that_waits_when_it_comes() -> None:
    script = asked()
    script.sends(1, 0)
    script.sends(1, 2)
    assert len(script.words) == 1
    script.gets(0, 1)
    assert turn(script) == []
    script.gets(1, 0)
    assert script.under_way(1, 2) == ["Request", 0, 2]
    assert turn(script) == [1]


def test_a_request_that_comes_when_it_has_been_granted_already_is_not_granted_again() -> None:
    script = asked()
    script.gets(0, 1)
    script.gets(1, 0)
    script.sends(2, 0)
    script.gets(1, 2)
    script.gets(2, 1, place=2)
    assert turn(script) == [2]
    script.gets(2, 1)
    assert script.under_way(2, 1) == []
    assert turn(script) == [2]


def test_an_earlier_request_that_comes_after_a_later_one_does_not_make_it_forgotten() -> None:
    script = asked()
    script.gets(0, 1)
    script.sends(0, 1)
    script.sends(2, 1)
    script.gets(1, 0, place=1)
    assert script.under_way(1, 0) == []
    script.gets(1, 0)
    script.gets(0, 2)
    script.gets(0, 1)
    script.sends(1, 0)
    assert script.under_way(1, 2) == ["Request", 0, "Request"]
    script.gets(2, 1, place=2)
    script.gets(2, 1)
    script.gets(2, 0, place=1)
    assert script.under_way(2, 1)[-2:] == [2, "Token"]


def test_the_token_takes_along_who_waits_and_serves_them_before_those_who_ask_later() -> None:
    script = Script(KsSerialised(4), 4)
    for process in (1, 2, 3):
        script.sends(process, 0)
    script.gets(1, 2)
    script.gets(1, 3)
    script.gets(0, 1)
    script.gets(1, 0)
    assert script.under_way(1, 2) == ["Request", "Token"]
    script.sends(0, 1)
    script.gets(2, 0)
    script.gets(2, 1, place=1)
    assert script.under_way(2, 0) == ["Request", 1]
    assert script.under_way(2, 3) == ["Request", "Token"]


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
def test_a_request_has_one_integer_and_a_token_those_of_its_queue_and_of_what_it_says_besides(
    kind: type[KsSerialised | KsSerialisedBroadcast], latest: int
) -> None:
    script = Script(kind(3), 3)
    script.sends(1, 0, 2)
    script.gets(0, 1)
    request, token = script.words
    assert request.integers == 1
    assert token.integers == 3 + latest
    assert Token(0, (0, 0, 0), (1, 2), (None,)).integers == 3 + 2 + 2
