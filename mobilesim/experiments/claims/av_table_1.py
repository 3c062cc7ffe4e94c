"""Compare table 1 of Alagar and Venkatesan (1994) with measurements."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from mobilesim.experiments.claims.check import ClaimReport
from mobilesim.experiments.claims.claim_results import HANDOFF, HEADER, INHIBITION, INHIBITION_BY_K

PAPER: Final = "Alagar & Venkatesan 1994, table 1"


@dataclass(frozen=True, slots=True)
class PrintedEntry:
    """An entry as the paper prints it, and the exponent of each variable that it implies."""

    what: str
    text: str
    exponents: Mapping[str, int]


TABLE: Final[Mapping[str, Sequence[PrintedEntry]]] = {
    "av1": (
        PrintedEntry(HEADER, "O(n_h^2)", {"n_h": 2, "n_s": 0}),
        PrintedEntry(HANDOFF, "O(1)", {"n_h": 0, "n_s": 0}),
        PrintedEntry(INHIBITION, "no", {}),
    ),
    "av2": (
        PrintedEntry(HEADER, "O(n_s^2)", {"n_h": 0, "n_s": 2}),
        PrintedEntry(HANDOFF, "O(n_s)", {"n_h": 0, "n_s": 1}),
        PrintedEntry(INHIBITION, "yes", {}),
    ),
    "av3": (
        PrintedEntry(HEADER, "O(k^2 n_s^2)", {"n_h": 0, "n_s": 2, "k": 2}),
        PrintedEntry(HANDOFF, "O(k n_s)", {"n_h": 0, "n_s": 1, "k": 1}),
        PrintedEntry(INHIBITION, "decreases with k", {}),
    ),
}


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
        for printed in TABLE.get(report.row.name, ()):
            entry = _inhibition_entry if printed.what == INHIBITION else _growth_entry
            yield entry(report, printed)


def _growth_entry(report: ClaimReport, printed: PrintedEntry) -> TableEntry:
    fitted, holds, claimed = [], True, ""
    for variable, exponent in printed.exponents.items():
        result = report.result(f"{printed.what} by {variable}")
        assert result is not None
        claimed, growth = result.claimed, result.growth
        holds &= result.holds is True and growth is not None and growth.agrees_with(exponent)
        fitted.append("no power" if growth is None else growth.as_power_of(variable))
    return TableEntry(report.row.name, printed.what, printed.text, claimed, ", ".join(fitted), holds)


def _inhibition_entry(report: ClaimReport, printed: PrintedEntry) -> TableEntry:
    """Require all results about inhibition to hold; show how it depends on k if that was measured."""
    results = [result for result in report.results if result.what.startswith(INHIBITION)]
    shown = report.result(INHIBITION_BY_K) or results[0]
    holds = all(result.holds for result in results)
    return TableEntry(report.row.name, printed.what, printed.text, report.row.claims.inhibition, shown.measured, holds)
