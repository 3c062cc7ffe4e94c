"""Table 1 of Alagar and Venkatesan (1994), from what was measured."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from mobilesim.experiments.claims.findings import BY_K, HANDOFF, HEADER, INHIBITION
from mobilesim.experiments.claims.measure import Report

PAPER: Final = "Alagar & Venkatesan 1994, table 1"


@dataclass(frozen=True, slots=True)
class Printed:
    """An entry of the paper's, and what it says of growth: the power of each variable."""

    what: str
    text: str
    powers: Mapping[str, int]


TABLE: Final[Mapping[str, Sequence[Printed]]] = {
    "av1": (
        Printed(HEADER, "O(n_h^2)", {"n_h": 2, "n_s": 0}),
        Printed(HANDOFF, "O(1)", {"n_h": 0, "n_s": 0}),
        Printed(INHIBITION, "no", {}),
    ),
    "av2": (
        Printed(HEADER, "O(n_s^2)", {"n_h": 0, "n_s": 2}),
        Printed(HANDOFF, "O(n_s)", {"n_h": 0, "n_s": 1}),
        Printed(INHIBITION, "yes", {}),
    ),
    "av3": (
        Printed(HEADER, "O(k^2 n_s^2)", {"n_h": 0, "n_s": 2, "k": 2}),
        Printed(HANDOFF, "O(k n_s)", {"n_h": 0, "n_s": 1, "k": 1}),
        Printed(INHIBITION, "decreases with k", {}),
    ),
}


@dataclass(frozen=True, slots=True)
class Entry:
    """`ours` is the catalogue's formula, `measured` the powers fitted, or the inhibition."""

    protocol: str
    what: str
    printed: str
    ours: str
    measured: str
    holds: bool


def entries(reports: Sequence[Report]) -> Iterator[Entry]:
    """Of those algorithms that were measured."""
    for report in reports:
        for printed in TABLE.get(report.row.name, ()):
            yield _waiting(report, printed) if printed.what == INHIBITION else _growing(report, printed)


def _growing(report: Report, printed: Printed) -> Entry:
    fitted, holds, ours = [], True, ""
    for variable, power in printed.powers.items():
        found = report.found(f"{printed.what} by {variable}")
        assert found is not None
        ours = found.claimed
        holds &= found.holds is True and found.grows is not None and found.grows.meets(power)
        fitted.append("no power" if found.grows is None else found.grows.of(variable))
    return Entry(report.row.name, printed.what, printed.text, ours, ", ".join(fitted), holds)


def _waiting(report: Report, printed: Printed) -> Entry:
    """All that was found of it must hold; how it falls with k says most, if that was looked for."""
    found = [finding for finding in report.findings if finding.what.startswith(INHIBITION)]
    shown = report.found(BY_K) or found[0]
    holds = all(finding.holds for finding in found)
    return Entry(report.row.name, printed.what, printed.text, report.row.claims.inhibition, shown.measured, holds)
