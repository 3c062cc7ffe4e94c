"""The key `membership`: what is accepted, and one line for each mistake."""

from typing import Final

import pytest

from mobilesim.errors import UserError
from mobilesim.scenario.loader import loads
from mobilesim.world.replication import single_cell_world

STATIC: Final = "network: static\nprotocols: resident+ks\nduration: 60 s\n"
BOTH: Final = "membership: {arrive: exponential 5 s, stay: exponential 60 s}\n"
ABLE: Final = "write one of unordered, fifo, ks, bss, or leave 'membership' out"
TO_ALL: Final = "write 'destinations: all', or leave that protocol out"
SET: Final = "orders a fixed set of processes, and hosts join or leave"
FIXED: Final = "this key needs hosts that stay from the start to the end; leave this key or 'membership' out"


def test_a_scenario_without_the_key_has_the_same_hash() -> None:
    assert loads(STATIC).hash == loads(f"{STATIC}membership: null\n").hash != loads(STATIC + BOTH).hash


@pytest.mark.parametrize("name", ("resident+ks", "resident+fifo", "resident+unordered"))
def test_orderings_whose_rows_have_membership_are_accepted(name: str) -> None:
    assert loads(f"{STATIC}{BOTH}protocols: [{name}]".replace("protocols: resident+ks\n", "")).membership is not None


def test_broadcasts_are_for_all_members() -> None:
    text = f"{STATIC}{BOTH}workload: {{kind: multicast, destinations: all}}\n"
    assert loads(text.replace("resident+ks", "resident+bss")).membership is not None


@pytest.mark.parametrize(
    ("text", "error"),
    (
        (
            "membership: {}\n",
            "membership: hosts neither join nor leave; write 'arrive' or 'stay', like {arrive: exponential 5 s}",
        ),
        ("membership: {arrive: 0 s}\n", "membership.arrive: is 0 s for every host; write more than 0 s"),
        (
            "membership: {stay: 9 s, limit: 3}\n",
            "membership.limit: limits hosts that join; write 'arrive' too, or leave it out",
        ),
        (
            "membership: {arrive: 1 us}\n",
            "membership.arrive: about 60,000,000 hosts would join; write a longer time, or a 'limit' up to 10,000",
        ),
        (f"{BOTH}workload: {{senders: 3}}\n", f"workload.senders: {FIXED}"),
        (f"{BOTH}workload: {{kind: multicast, selectivity: 0.5}}\n", f"workload.selectivity: {FIXED}"),
        (f"{BOTH}clocks: all\n", "clocks: clocks have fixed processes; leave this key or 'membership' out"),
        (
            f"{BOTH}groups: [[0, 1]]\n",
            "groups: groups have fixed members; leave this key or 'membership' out",
        ),
        (
            f"{BOTH}protocols: rst\n",
            f"protocols[0]: rst {SET}; {ABLE}",
        ),
        (
            f"{BOTH}protocols: resident+isis\n",
            f"protocols[0]: isis {SET}: overlapping groups change by a flush of several groups; {ABLE}",
        ),
        (
            f"{BOTH}protocols: resident+mr\n",
            f"protocols[0]: mr {SET}: its paper leaves joining and leaving as future work; {ABLE}",
        ),
        (
            f"{BOTH}protocols: resident+bss\nworkload: {{kind: multicast, destinations: 9}}\n",
            f"workload.destinations: resident+bss orders broadcasts; {TO_ALL}",
        ),
        (
            f"{BOTH}protocols: {{placement: resident, ordering: ks, complement: true}}\n",
            f"protocols[0]: with 'complement: true', ks {SET}; leave this option or 'membership' out",
        ),
        (
            f"{BOTH}duration: null\nmessages: 5\n",
            "membership: hosts join and leave until the end of the duration; write 'duration' too",
        ),
        (
            f"{BOTH}network: cells\n",
            "membership: only a static network has this key; write 'network: static' too, or leave this key out",
        ),
    ),
)
def test_a_mistake_has_one_line(text: str, error: str) -> None:
    written = [line for line in STATIC.splitlines() if line.partition(":")[0] not in text]
    with pytest.raises(UserError) as refused:
        loads("\n".join([*written, text]))
    (line,) = [each for each in refused.value.messages if each.endswith(error)]
    assert line.partition(": ")[2] == error


def test_too_many_joins_are_refused_even_if_their_mean_time_is_infinite() -> None:
    text = "network: static\nduration: 1000 s\nseed: 5\nprotocols: [resident+ks]\nmembership: {arrive: pareto 1 1 us}\n"
    with pytest.raises(UserError, match=r"membership.arrive: more than 10,000 hosts join; write a longer time, or"):
        single_cell_world(loads(text), 0)
