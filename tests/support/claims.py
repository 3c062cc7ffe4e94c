"""Checks of claims, and rows of the catalogue with changed claims."""

from dataclasses import replace
from typing import Any, Final

from mobilesim.api.progress import Progress
from mobilesim.experiments.claims.check import ClaimReport, check_claims
from mobilesim.experiments.claims.scenarios import Effort
from mobilesim.experiments.executors import never
from mobilesim.protocols.catalogue_rows import ProtocolRow

HEADERS: Final = ["header by n_h", "header by n_s", "header, high mobility"]
TINY: Final = Effort((4, 8), (2, 4), (1, 2), 2, "1 s")


def measured(row: ProtocolRow, effort: Effort = TINY) -> ClaimReport:
    report = check_claims(row, effort, title=row.name, stop=never, display=Progress(quiet=True))
    assert report is not None
    return report


def claiming_of(row: ProtocolRow, **claims: Any) -> ProtocolRow:  # noqa: ANN401 - fields of Claims
    return replace(row, claims=replace(row.claims, **claims))


def failed(report: ClaimReport) -> list[str]:
    return [result.what for result in report.results if result.holds is False]
