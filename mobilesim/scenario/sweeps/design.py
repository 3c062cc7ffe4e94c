"""The design of a sweep: which combinations of the values of its factors are its points."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Final, Literal

from pydantic import BeforeValidator, ConfigDict, Field

from mobilesim.errors import counted
from mobilesim.results.sweeps.design_record import GRID, ONE_AT_A_TIME, SOBOL_INDICES
from mobilesim.scenario.sections.base_section import Section
from mobilesim.scenario.sweeps.axes import Factor
from mobilesim.scenario.values.fields import Whole
from mobilesim.scenario.values.validation_error import Fault
from mobilesim.statistics.sobol_sequence import DIMENSIONS

LATIN_HYPERCUBE: Final = "latin-hypercube"
SOBOL: Final = "sobol"
RANDOM: Final = "random"
SAMPLED: Final = (LATIN_HYPERCUBE, SOBOL, RANDOM, SOBOL_INDICES)
"""The designs with a number of points."""
MAX_FACTORS: Final[Mapping[str, int]] = {SOBOL: DIMENSIONS, SOBOL_INDICES: DIMENSIONS // 2}
MAX_POINTS: Final = 10_000
QUICK_POINTS: Final[Mapping[str, int]] = {SOBOL_INDICES: 2}
_QUICK: Final = 4

_UNSAMPLED: Final = (GRID, ONE_AT_A_TIME)


def _described(raw: object) -> object:
    return {"kind": raw} if isinstance(raw, str) else raw


class Design(Section):
    model_config = ConfigDict(
        json_schema_extra={
            "if": {"properties": {"kind": {"enum": list(SAMPLED)}}, "required": ["kind"]},
            "then": {"required": ["points"], "not": {"required": ["base"]}},
            "else": {"not": {"anyOf": [{"required": ["points"]}, {"required": ["seed"]}]}},
            "examples": [{"kind": LATIN_HYPERCUBE, "points": 32}],
        }
    )

    kind: Literal["grid", "latin-hypercube", "sobol", "random", "one-at-a-time", "sobol-indices"] = Field(
        default="grid",
        description=(
            "'grid': all combinations of the values. 'latin-hypercube': every factor has one point in each of equal "
            "intervals. 'sobol': points of the Sobol sequence, which fill the space evenly. 'random': independent "
            "points. 'one-at-a-time': a base point, and each factor changed alone. 'sobol-indices': the points from "
            "which first-order and total Sobol indices are estimated."
        ),
    )
    points: Annotated[Whole, Field(ge=2, le=MAX_POINTS)] = Field(
        default=2,
        description=(
            "The number of points of a Latin hypercube, a Sobol sequence or a random design. For 'sobol-indices', the "
            "number N of base points: with k factors there are N (k + 2) points."
        ),
    )
    seed: Annotated[Whole, Field(ge=0)] = Field(default=0, description="The seed of the points.")
    base: dict[str, Any] = Field(
        default={},
        description="The base point of 'one-at-a-time', by key; by default, the first value of every key.",
        json_schema_extra={"examples": [{"hosts": 20}]},
    )

    def faults(self) -> Iterator[Fault]:
        written = self.model_fields_set
        if self.kind in SAMPLED and "points" not in written:
            yield Fault(f"'{self.kind}' needs a number of points; write it, like {{kind: {self.kind}, points: 64}}")
        for key in ("points", "seed"):
            if self.kind in _UNSAMPLED and key in written:
                yield Fault(f"'{self.kind}' has no '{key}': its points are given by the values; leave it out", (key,))
        if self.kind != ONE_AT_A_TIME and "base" in written:
            yield Fault(f"'{self.kind}' has no base point; leave 'base' out", ("base",))

    @property
    def is_grid(self) -> bool:
        return self.kind == GRID

    def shortened(self) -> "Design":
        """Return the design for `--quick`, with few points."""
        if self.kind not in SAMPLED:
            return self
        return self.model_copy(update={"points": min(self.points, QUICK_POINTS.get(self.kind, _QUICK))})

    def text(self, factors: int) -> str:
        """Return the kind with its number of points and its seed, as text."""
        if self.kind not in SAMPLED:
            return self.kind
        size = f"{self.points:,} points"
        if self.kind == SOBOL_INDICES:
            size = f"{self.points:,} base points x ({factors} factors + 2) = {self.points * (factors + 2):,} points"
        return f"{self.kind}, {size}, seed {self.seed}"


DesignOrKind = Annotated[
    Design, BeforeValidator(_described, json_schema_input_type=Literal["grid", "one-at-a-time"] | Design)
]
"""A design, or the name of a design that needs no number of points."""


def design_faults(design: Design, factors: Sequence[Factor], *, variants: bool) -> Iterator[Fault]:
    """Yield the faults of a design that is no grid, with its factors."""
    if variants:
        yield Fault("variants are compared on a grid; leave 'design' or 'variants' out", ("design",))
    if not factors:
        yield Fault("no key varies; write keys with ranges or lists of values below 'vary'", ("design",))
    if len(factors) > (most := MAX_FACTORS.get(design.kind, len(factors))):
        yield Fault(f"{len(factors)} factors are too many; '{design.kind}' takes at most {most}", ("design",))
    if design.kind == SOBOL_INDICES and design.points * (len(factors) + 2) > MAX_POINTS:
        size = f"{counted(design.points * (len(factors) + 2), 'point')} with {counted(len(factors), 'factor')}"
        yield Fault(f"this makes {size}; the maximum is {MAX_POINTS:,}", ("design", "points"))
    varied = {key for factor in factors for key in factor.keys}
    for key in design.base:
        if key not in varied:
            yield Fault("this key does not vary; write it below 'set'", ("design", "base", key))
