"""The explanations of shipped scenarios: they add up, they name causes, and a search through all rows agrees."""

from collections import Counter
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Final

import pytest

from mobilesim.causes.cause import Cause
from mobilesim.causes.tables import RunTables
from mobilesim.scenario import bundled
from mobilesim.scenario.loader import load
from tests.support.brute_force_causes import BruteForce
from tests.support.explained_runs import every, explanations, find_rows, require_sums, tables_of
from tests.support.short_forms import run_short_form

Results = Callable[[str], Path]

ADDED_UP: Final = ("quickstart", "campus", "static/causal-barriers", "radio/contention", "stress/switched-off")
NAMED: Final = ("quickstart", "campus", "static/overlapping-groups", "radio/shared-air", "radio/contention")
COMPARED: Final = (
    *(("quickstart", "av1"), ("quickstart", "rst"), ("papers/av-figure-2", "av2")),
    *(("stress/long-disconnection", "av1"), ("static/ordering-headers", "rst"), ("tree-backbone", "av1")),
    *(("backbone/failing-links", "av2"), ("papers/mr-resynchronisation", "resident+mr")),
)
LEAST: Final = 0.95


def runs(names: tuple[str, ...]) -> list[Any]:
    pairs = [(name, choice.label) for name in names for choice in load(bundled.find(name)).protocols]
    return [pytest.param(*pair, id="-".join(pair)) for pair in pairs]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Results:
    @cache
    def short_form(name: str) -> Path:
        return run_short_form(name, tmp_path_factory.mktemp("results")).directory

    return short_form


def require_named(tables: RunTables) -> None:
    """Require that causes are named for the waits of the latest deliveries."""
    unnamed: Counter[str] = Counter()
    waited = explained = 0
    for _, explanation in explanations(tables, max(5, len(tables) // 100)):
        waited, explained = waited + explanation.waited, explained + explanation.explained
        waits = [cause for cause in explanation.causes if not cause.is_transmission]
        for leaf in (leaf for cause in waits for leaf in unexplained(cause)):
            unnamed[leaf.what] += leaf.length
    assert explained + sum(unnamed.values()) == waited
    assert sum(unnamed.values()) <= (1 - LEAST) * waited, unnamed


def unexplained(cause: Cause) -> list[Cause]:
    if cause.named:
        return []
    return [leaf for below in cause.causes for leaf in unexplained(below)] if cause.causes else [cause]


@pytest.mark.full
@pytest.mark.parametrize(("name", "protocol"), runs(ADDED_UP))
def test_every_level_of_every_explanation_adds_up(name: str, protocol: str, results: Results) -> None:
    tables = tables_of(results(name), protocol)
    assert len(tables)
    for row, explanation in explanations(tables):
        require_sums(row, explanation)


@pytest.mark.full
@pytest.mark.parametrize(("name", "protocol"), runs(NAMED))
def test_causes_of_the_latest_deliveries_are_named(name: str, protocol: str, results: Results) -> None:
    require_named(tables_of(results(name), protocol))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "protocol"), runs(tuple(bundled.names())))
def test_causes_of_the_latest_deliveries_are_named_in_every_scenario(
    name: str, protocol: str, results: Results
) -> None:
    tables = tables_of(results(name), protocol)
    require_named(tables)
    for row, explanation in explanations(tables):
        require_sums(row, explanation)


@pytest.mark.full
@pytest.mark.parametrize(("name", "protocol"), COMPARED)
def test_a_search_through_all_rows_finds_the_same_causes(name: str, protocol: str, results: Results) -> None:
    tables = tables_of(results(name), protocol)
    handoffs = tables.reader.read("handoffs").to_pylist()
    rows = find_rows(tables)
    search = BruteForce(rows, handoffs, at_hosts=all(row["released"] == row["delivered"] for row in rows))
    compared: Counter[str] = Counter()
    for row, explanation in explanations(tables):
        for part in explanation.causes:
            for cause in part.causes:
                if part.what in {"causal_wait", "knock_on", "inhibition"}:
                    compared["wait"] += _same_blocker(search, row, cause)
                elif part.what == "unreachable":
                    compared["absence"] += _same_absence(search, row["destination"], cause, "enabled")
                elif part.what == "sender_away":
                    compared["absence"] += _same_absence(search, row["source"], cause, "registered")
                elif part.what == "detour":
                    compared["detour"] += _same_detour(handoffs, row, cause)
                elif cause.what == "frame" and "acknowledgement" not in cause.text:
                    host = row["source" if part.what == "uplink_queue" else "destination"]
                    assert search.on_air(cause.message, host, cause.begin, cause.end), (row, cause)
                    compared["frame"] += 1
    assert sum(compared.values()) >= 10, compared


def _same_blocker(search: BruteForce, row: dict[str, Any], cause: Cause) -> bool:
    """Compare the message that ended a wait."""
    if cause.what != "message":
        assert row["waited_for"] < 0
        return False
    if cause.end <= row["deliverable"] < row["released"]:
        allowed = search.causes_of_deliverable(row)
    elif row["deliverable"] == row["released"]:
        allowed = {row["waited_for"]} | search.causes_of_deliverable(row)
    else:
        allowed = {row["waited_for"]}
    assert cause.message in allowed, (row, cause)
    if row["waited_for"] == cause.message and cause.end > min(row["deliverable"], row["released"] - 1):
        assert (cause.message in search.arriving(row, row["released"])) == bool(cause.causes)
    return True


def _same_absence(search: BruteForce, host: int, cause: Cause, phase: str) -> bool:
    if cause.what != "handoff":
        return False
    visits = {f"hand-off {visit} of" for visit in search.moves(host, cause.begin, cause.end, phase)}
    assert " ".join(cause.text.split()[:3]) in visits, (cause, visits)
    return True


def _same_detour(handoffs: list[dict[str, Any]], row: dict[str, Any], cause: Cause) -> bool:
    """Compare the hand-off because of which a message was forwarded."""
    before = [other for other in handoffs if other["host"] == row["destination"] and other["left"] < row["arrived"]]
    into = [other["visit"] for other in before if other["to_station"] == row["station"]]
    requested = [other["visit"] for other in before if (other["request"] or row["arrived"]) < row["arrived"]]
    assert cause.text.startswith(f"hand-off {max(into or requested)} of h{row['destination']} ")
    return True


@pytest.mark.full
def test_a_chain_of_causes_ends_at_a_root(results: Results) -> None:
    for _, explanation in explanations(tables_of(results("quickstart"), "rst")):
        for cause in every(explanation.causes):
            if not cause.causes:
                assert cause.text
                assert cause.what not in {"causal_wait", "knock_on", "inhibition", "unreachable", "sender_away"}, cause
