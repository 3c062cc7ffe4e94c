"""Compare table 1 of Alagar and Venkatesan (1994) with measurements."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from mobilesim.experiments.claims.check import ClaimReport
from mobilesim.experiments.claims.claim_results import HANDOFF, HEADER, INHIBITION, INHIBITION_BY_K

PAPER: Final = "Alagar & Venkatesan 1994, table 1"

TABLE: Final[Mapping[str, Mapping[str, tuple[str, Mapping[str, int]]]]] = {
    "av1": {
        HEADER: ("O(n_h^2)", {"n_h": 2, "n_s": 0}),
        HANDOFF: ("O(1)", {"n_h": 0, "n_s": 0}),
        INHIBITION: ("no", {}),
    },
    "av2": {
        HEADER: ("O(n_s^2)", {"n_h": 0, "n_s": 2}),
        HANDOFF: ("O(n_s)", {"n_h": 0, "n_s": 1}),
        INHIBITION: ("yes", {}),
    },
    "av3": {
        HEADER: ("O(k^2 n_s^2)", {"n_h": 0, "n_s": 2, "k": 2}),
        HANDOFF: ("O(k n_s)", {"n_h": 0, "n_s": 1, "k": 1}),
        INHIBITION: ("decreases with k", {}),
    },
}
"""The entries as the paper prints them, and the exponent of each variable that they imply."""


@dataclass(frozen=True, slots=True)
class TableEntry:
    """A printed entry, the claim of our catalogue, and the fitted powers or the inhibition that were measured."""

    protocol: str
    what: str
    printed: str
    claimed: str
    measured: str
    holds: bool


def table_entries(reports: Sequence[ClaimReport]) -> Iterator[TableEntry]:
    """Yield the entries of those algorithms that have a report."""
    for report in reports:
        for what, (printed, exponents) in TABLE.get(report.row.name, {}).items():
            found = _inhibition(report) if what == INHIBITION else _growth(report, what, exponents)
            yield TableEntry(report.row.name, what, printed, *found)


def _growth(report: ClaimReport, what: str, exponents: Mapping[str, int]) -> tuple[str, str, bool]:
    fitted, holds, claimed = [], True, ""
    for variable, exponent in exponents.items():
        result = report.result(f"{what} by {variable}")
        assert result is not None
        claimed, growth = result.claimed, result.growth
        holds &= result.holds is True and growth is not None and growth.agrees_with(exponent)
        fitted.append("no power" if growth is None else growth.as_power_of(variable))
    return claimed, ", ".join(fitted), holds


def _inhibition(report: ClaimReport) -> tuple[str, str, bool]:
    """Require all results about inhibition to hold; show how it depends on k if that was measured."""
    results = [result for result in report.results if result.what.startswith(INHIBITION)]
    shown = report.result(INHIBITION_BY_K) or results[0]
    return report.row.claims.inhibition, shown.measured, all(result.holds for result in results)
