"""Claims of causal order along chains of two messages, in explorations and in runs."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest

from mobilesim.explorer.api import explore
from mobilesim.explorer.counterexample_text import listing
from mobilesim.explorer.exploration import Ending
from mobilesim.explorer.untimed_world import Bounds, SystemBuilder
from mobilesim.oracle.verdicts import FaultKind, tolerated_faults
from mobilesim.protocols import catalogue
from mobilesim.protocols.catalogue import pair
from mobilesim.protocols.machine import System
from mobilesim.protocols.placements import proxy
from mobilesim.scenario.loader import loads
from tests.support.orderings.dense_short_chains import BeforeSend, DenseProcess, Unheard, short_chains
from tests.support.simulations import simulate

ROW: Final = pair("proxy", "ks-short-chains")
CLAIMED: Final = tolerated_faults(ROW.claims)


def under_proxies(kind: type[DenseProcess]) -> SystemBuilder:
    def build(stations: int, homes: tuple[int, ...], options: Mapping[str, Any]) -> System:
        return proxy.build(stations, homes, partial(short_chains, kind), **options)

    return build


def test_only_violations_along_short_chains_are_faults() -> None:
    assert frozenset({FaultKind.OVERTAKES}) == CLAIMED
    assert FaultKind.SHORT_CHAIN in tolerated_faults(pair("proxy", "fifo").claims)
    assert FaultKind.SHORT_CHAIN not in tolerated_faults(pair("proxy", "rst").claims)
    assert not pair("station", "ks-short-chains").claims.short_chains


@pytest.mark.full
@pytest.mark.parametrize("reduced", (False, True))
@pytest.mark.parametrize(
    ("kind", "bounds"),
    ((Unheard, Bounds(3, 0, tolerated=CLAIMED)), (BeforeSend, Bounds(2, 0, destinations=2, tolerated=CLAIMED))),
)
def test_the_explorer_finds_a_violation_along_a_chain_of_two_messages(
    kind: type[DenseProcess],
    bounds: Bounds,
    reduced: bool,  # noqa: FBT001
) -> None:
    build, homes = under_proxies(kind), (0, 0, 0)
    found = explore(build, 1, homes, bounds, reduced=reduced)
    assert (found.ending, found.fault_kind) == (Ending.FAULT, FaultKind.SHORT_CHAIN)
    *_, fault = listing(build(1, homes, {}), homes, bounds, found.schedule)
    assert fault.startswith("fault: host ")
    assert fault.endswith(", which precedes it by a chain of two messages")
    assert explore(under_proxies(DenseProcess), 1, homes, bounds, reduced=True).ending is Ending.EXHAUSTED


@pytest.mark.parametrize(("ordering", "violated"), (("ks-short-chains", False), ("fifo", True)))
def test_in_a_run_causal_order_is_violated_along_longer_chains_only(
    ordering: str,
    violated: bool,  # noqa: FBT001
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """`fifo` violates causal order along chains of two messages, too, and has a fault if it claims this order."""
    row = replace(catalogue.ORDERINGS[ordering], short_chains=True)
    monkeypatch.setattr(catalogue, "ORDERINGS", {ordering: row})
    scenario = loads(
        "network: static\nhosts: 6\nlinks: {delay: exponential 1 s, service: independent}\ndeliveries: 2000\n"
        "workload: {interval: exponential 1 s, kind: multicast, destinations: 2}\n"
        f"protocols: resident+{ordering}\n"
    )
    (found,) = simulate(scenario, tmp_path).rows("runs")
    assert found["claims_short_chains"]
    assert found["causal_violations"] > found["short_chain_violations"]
    assert (found["short_chain_violations"] > 0, found["verdict"]) == (violated, "fault" if violated else "ok")
