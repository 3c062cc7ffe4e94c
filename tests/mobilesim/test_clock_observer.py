"""Clocks that look on while the emulator runs, compared with the oracle."""

from functools import partial
from random import Random

import pytest

from mobilesim import runner
from mobilesim.clocks.observer import Observer
from mobilesim.clocks.topologies import graph
from mobilesim.errors import UserError
from protocols.clocks.allocation import ALLOCATIONS, allocate, full
from protocols.clocks.determination import Order
from protocols.clocks.links import links_of, members
from tests.mobilesim.emulation import MS, Play, Script

HOSTS = 6
STAR = links_of(graph("star", HOSTS, 1).adjacency)
CLOCKS = {"FM": full(STAR), **{f"allocation {number}": allocate(STAR, number) for number in ALLOCATIONS}}


@pytest.fixture
def observer(monkeypatch: pytest.MonkeyPatch) -> Observer:
    made = Observer(STAR, CLOCKS)
    monkeypatch.setattr(runner, "Oracle", partial(_same, made))
    return made


def _same(made: Observer, sources: int) -> Observer:
    assert made.sources == sources
    return made


def chatter(messages: int) -> Script:
    """The centre answers as often as it is spoken to."""
    random = Random(1)
    says = [(random.randrange(2_000) * MS, random.randrange(1, HOSTS)) for _ in range(messages)]
    return Script([(moment, *random.choice(((0, host), (host, 0)))) for moment, host in says])


def restless(play: Play, protocol: object) -> None:
    play(chatter(1_000), protocol, hosts=HOSTS, backbone={"jitter": "uniform 0 s 300 ms"}, duration="20 s")


def test_every_clock_agrees_with_the_oracle_under_a_protocol_that_keeps_causal_order(
    play: Play, observer: Observer
) -> None:
    restless(play, "av1")
    assert {name for name, opinion in observer.opinions.items() if opinion.wrong} == set()
    assert {opinion.messages for opinion in observer.opinions.values()} == {1_000}
    assert all(opinion.compared > 5_000 for opinion in observer.opinions.values())
    assert observer.causal == 0


def test_the_clocks_of_a_star_cost_what_their_sets_say(play: Play, observer: Observer) -> None:
    restless(play, "av1")
    integers = {name: opinion.integers / opinion.messages for name, opinion in observer.opinions.items()}
    assert integers["FM"] == HOSTS
    assert integers["allocation 3"] == HOSTS - 1
    assert integers["allocation 4"] == integers["allocation 5"] == 1


def test_gateways_are_wrong_where_arrivals_are_not_causal_and_the_other_clocks_are_not(
    play: Play, observer: Observer
) -> None:
    restless(play, {"placement": "proxy", "ordering": "unordered"})
    assert observer.causal > 0
    wrong = {name for name, opinion in observer.opinions.items() if opinion.wrong}
    assert wrong == {"allocation 4", "allocation 5"}
    said = {said for name in wrong for _, said in observer.opinions[name].wrong}
    assert said == {Order.CONCURRENT}


def test_traffic_beside_the_links_is_refused() -> None:
    observer = Observer(STAR, CLOCKS)
    with pytest.raises(UserError, match="clocks: host 1 sends to host 2, and there is no such link"):
        observer.submitted(0, 1, (2,))


def test_what_is_dropped_or_comes_twice_is_not_compared() -> None:
    observer = Observer(STAR, CLOCKS)
    observer.submitted(0, 0, tuple(members(STAR.after[0])))
    observer.submitted(1, 0, (1,))
    assert observer.dropped(0, 0, 1)
    observer.delivered(1, 0, 1)
    observer.delivered(1, 0, 1)
    assert observer.duplicates == 1
    assert {opinion.compared for opinion in observer.opinions.values()} == {0}
