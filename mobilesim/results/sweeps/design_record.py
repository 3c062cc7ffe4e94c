"""The design and the refinement of a sweep in its results directory, for the summary: `design.json`.

Grids without refinement have no such file.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final

from mobilesim.errors import UserError
from mobilesim.results.layout import DESIGN
from mobilesim.results.location import Location

GRID: Final = "grid"
SOBOL_INDICES: Final = "sobol-indices"
ONE_AT_A_TIME: Final = "one-at-a-time"


@dataclass(frozen=True, slots=True)
class DesignRecord:
    """`factors`: the keys of each factor. `rows`: the values of all keys at each point of the design, in its order.

    With `kind` `sobol-indices`, the rows of each base point are A, B, and for each factor A with this factor of B.
    """

    kind: str
    factors: Sequence[Sequence[str]]
    rows: Sequence[Sequence[str]]
    refine: Mapping[str, Any] | None = None
    """The settings of the refinement of a grid: its `axis`, `metric`, and `protocols`."""

    def content(self) -> bytes:
        return json.dumps(asdict(self), ensure_ascii=False).encode()


def read_design(directory: Location) -> DesignRecord | None:
    """Return the design; None for a grid without refinement."""
    path = directory / DESIGN
    if not path.is_file():
        return None
    try:
        found = DesignRecord(**json.loads(path.read_text(encoding="utf-8")))
    except (ValueError, TypeError):
        raise UserError(f"{path}: not the design of a sweep; delete it and start the sweep again") from None
    return found
