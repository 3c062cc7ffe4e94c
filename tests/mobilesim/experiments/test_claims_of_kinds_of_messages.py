"""Claims of orderings that accept only some kinds of messages (such as broadcasts), and the text of measurements."""

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

import pytest

from mobilesim.cli.experiments.check_claims import growth, report_lines
from mobilesim.experiments.claims.claim_results import formula_over_sizes
from mobilesim.experiments.claims.claim_run import simulate
from mobilesim.experiments.claims.scenarios import (
    NetworkSize,
    SizeAxis,
    formula_options,
    low_mobility,
    option_values,
    size_axes,
)
from mobilesim.protocols.catalogue import ROWS, pair, pairs
from tests.support.claims import HEADERS, TINY, claiming_of, failed, measured

RESTRICTED: Final = {
    "isis": pair("proxy", "isis"),
    "mr": pair("resident", "mr"),
    "bss": pair("proxy", "bss"),
    "transport": pair("resident", "transport"),
}


INHIBITION: Final = [
    "inhibition, unicast",
    *(f"inhibition, unicast, location={name}" for name in ("paging", "lazy", "free")),
]


@pytest.mark.full
@pytest.mark.parametrize(
    ("name", "claim", "broken"),
    (
        ("isis", {}, []),
        ("isis", {"header": "m + 1"}, ["header by n_h", "header by n_s", "header by g", "header, high mobility"]),
        ("isis", {"header": "12"}, ["header by g", "header, high mobility"]),
        ("mr", {}, []),
        ("mr", {"header": "at most g"}, ["header by n_h", "header by n_s", "header by g", "header, high mobility"]),
        (
            "mr",
            {"header": "at most 5", "handoff": "g - 2"},
            ["header by g", "hand-off by g", "header, high mobility", "hand-off, high mobility"],
        ),
        ("bss", {}, []),
        ("bss", {"header": "d"}, [*HEADERS]),
        ("transport", {}, []),
        ("transport", {"header": "1"}, [*HEADERS]),
        (
            "transport",
            {"inhibition": "none"},
            [
                f"inhibition, unicast{each}"
                for each in ("", *(f", location={name}" for name in ("paging", "lazy", "free")))
            ],
        ),
    ),
)
def test_a_restricted_ordering_is_measured_with_its_kinds_of_messages(
    name: str, claim: Mapping[str, Any], broken: list[str]
) -> None:
    row = RESTRICTED[name]
    assert [each for each in failed(measured(claiming_of(row, **claim))) if "resynch_delay" not in each] == broken


@pytest.mark.parametrize(
    ("name", "addressing", "variables"),
    (
        ("av1", "multicast", {"d": 2}),
        ("transport", "unicast", {"d": 1}),
        ("bss", "broadcast", {"d": 7}),
        ("isis", "groups", {"d": 2, "g": 4, "m": 12}),
    ),
)
def test_the_variables_of_formulas_are_those_of_the_network(
    name: str, addressing: str, variables: dict[str, int]
) -> None:
    row = RESTRICTED.get(name) or ROWS[name]
    size = size_axes(row, TINY)[1].sizes[0]
    assert size.addressing == addressing
    options = option_values(row)
    variables_of_run = simulate(row, options, low_mobility(size)).variables
    assert variables_of_run == size.variables | formula_options(options)
    assert size.variables == {"n_h": 8, "n_s": 2, **variables}


def test_the_growth_of_a_bound_is_reported_only_for_a_clear_power() -> None:
    axis = SizeAxis("n_s", tuple(NetworkSize(2, stations, None) for stations in (2, 4, 8, 16, 32)))
    doubling, wavering = ([Counter({value: 1}) for value in values] for values in ((1, 2, 4, 8, 16), (1, 5, 6, 9, 10)))
    shown = {
        (claimed, index): growth(formula_over_sizes("header", claimed, axis, counters))
        for claimed in ("at most 99", "99")
        for index, counters in enumerate((doubling, wavering))
    }
    assert shown["at most 99", 0] == shown["99", 0] == "n_s^1"
    assert shown["at most 99", 1] == ""
    assert shown["99", 1].startswith("n_s^(")


@pytest.mark.full
def test_sizes_that_grow_together_are_listed() -> None:
    _, sizes, *_ = report_lines(measured(RESTRICTED["bss"]))
    assert sizes == "  where n_h = 4 8 (n_s = 4, d = 3 7); n_s = 2 4 (n_h = 8, d = 7)"


def test_an_inhibiting_ordering_claims_inhibition_under_every_placement() -> None:
    inhibiting = [row for row in pairs() if row.ordering_row.inhibits]
    assert {row.ordering for row in inhibiting} >= {"mr", "transport", "ks-serialised"}
    assert {row.claims.inhibition for row in inhibiting} == {"yes"}
