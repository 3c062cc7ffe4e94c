"""The cells: their shape, their neighbours, and the positions of their stations."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from math import isqrt
from typing import TYPE_CHECKING, Annotated, Final, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from mobilesim.errors import shown
from mobilesim.scenario.sections.base_section import Section
from mobilesim.scenario.values.fields import InputFile, Length, Pair, Whole, file_schema, optional, setting
from mobilesim.scenario.values.units import LENGTH
from mobilesim.scenario.values.validation_error import Fault, refuse

if TYPE_CHECKING:
    from mobilesim.scenario.model import Scenario

MOST_CELLS: Final = 10_000

Side = Annotated[Whole, Field(ge=1, le=MOST_CELLS)]


def most_square(cells: int) -> tuple[int, int]:
    """Return the rows and columns of a grid of exactly `cells` cells that is as similar to a square as possible."""
    rows = next(rows for rows in range(isqrt(cells), 0, -1) if cells % rows == 0)
    return rows, cells // rows


def _ordered(edges: tuple[tuple[int, int], ...] | None) -> tuple[tuple[int, int], ...] | None:
    return None if edges is None else tuple(sorted({(min(edge), max(edge)) for edge in edges}))


_GRID_KEYS: Final = ("rows", "columns", "spacing")


class Cells(Section):
    shape: Literal["grid", "hex", "graph", "sites"] = setting(
        "grid",
        "The shape of cells: 'grid' (up to 4 neighbours), 'hex' (up to 6), 'graph' (neighbours from edges or a file), "
        "or 'sites' (station positions from a file; every position is in the cell of the nearest station).",
    )
    rows: Side = setting(3, "Rows of a grid or hex.")
    columns: Side = setting(3, "Columns of a grid or hex.")
    spacing: Length = setting(
        "500 m", "The distance between neighbouring stations of a grid or hex, for mobility models on a plane."
    )
    radius: Length | None = optional(
        "The range of a station; by default, all of its cell. A host out of range is disconnected.", "300 m"
    )
    edges: Annotated[tuple[Pair, ...] | None, AfterValidator(_ordered)] = optional(
        "The pairs of neighbouring cells, for shape 'graph'; cells are numbered from 0.", [[0, 1], [1, 2]]
    )
    file: Annotated[InputFile, file_schema("a GraphML or CSV file", "cells.graphml", "sites.csv")] | None = optional(
        "For shape 'graph', a GraphML file with the graph of cells; for shape 'sites', the positions of the stations: "
        "a CSV file with columns x and y (metres) or lat and lon (degrees), or GraphML with these attributes.",
        "cells.graphml",
    )
    margin: Length | None = optional(
        "The margin of the plane around the outermost sites; by default, half the mean distance between sites.", "250 m"
    )

    @property
    def count(self) -> int | None:
        """The number of cells; None if it depends on the file."""
        if self.shape in {"grid", "hex"}:
            return self.rows * self.columns
        return None if self.edges is None else 1 + max(max(edge) for edge in self.edges)

    def unwritten(self) -> set[str]:
        return {"graph": {*_GRID_KEYS}, "sites": {*_GRID_KEYS, "edges"}}.get(self.shape, set())

    def faults(self) -> Iterator[Fault]:
        match self.shape:
            case "graph":
                yield from self._graph_faults()
            case "sites":
                yield from self._sites_faults()
            case _:
                yield from self._grid_faults()
        for key in ("spacing", "radius", "margin"):
            if (length := getattr(self, key)) is not None and length < 1:
                yield Fault(f"{LENGTH.write(length)} is too little; write 1 m or more", (key,))

    def _grid_faults(self) -> Iterator[Fault]:
        for key, shapes in (("edges", "'shape: graph'"), ("file", "'shape: graph' or 'shape: sites'")):
            if getattr(self, key) is not None:
                yield Fault(
                    f"does not apply to shape '{self.shape}'; write {shapes} too, or leave this key out", (key,)
                )
        yield from self._unfit(("margin",), f"the margin of a {self.shape} is half its spacing; leave this key out")
        if self.rows * self.columns > MOST_CELLS:
            yield Fault(f"{self.rows} x {self.columns} cells are too many; the maximum is {MOST_CELLS}", ("rows",))

    def _graph_faults(self) -> Iterator[Fault]:
        gone = "leave this key out, or write 'shape: grid'"
        yield from self._unfit(("columns", "rows"), f"a graph of cells has no rows and columns; {gone}")
        yield from self._unfit(("spacing", "radius"), f"a graph of cells has no lengths; {gone}")
        yield from self._unfit(
            ("margin",), "a graph of cells has no lengths; leave this key out, or write 'shape: sites'"
        )
        if (self.edges is None) == (self.file is None):
            yield Fault("a graph of cells needs either edges or a file", ("shape",))
        elif self.edges is not None and (fault := _graph_fault(self.edges)):
            yield Fault(fault, ("edges",))

    def _sites_faults(self) -> Iterator[Fault]:
        yield from self._unfit(
            (*_GRID_KEYS, "edges"), "the sites determine this key; leave it out, or write another shape"
        )
        if self.file is None:
            yield Fault("sites need a file with their positions", ("shape",))

    def _unfit(self, keys: Iterable[str], message: str) -> Iterator[Fault]:
        for key in keys:
            if key in self.model_fields_set and getattr(self, key) is not None:
                yield Fault(message, (key,))

    def misfits(self, scenario: "Scenario") -> Iterator[Fault]:
        mobility = scenario.mobility
        if scenario.network == "static" or mobility.on_plane:
            return
        if self.changed("radius") and self.shape != "graph":
            reason = f"hosts of model '{mobility.model}' have no positions that could be out of range"
            yield Fault(
                f"{reason}; write a model on a plane, like 'model: waypoint', or leave this key out", ("radius",)
            )
        if self.count == 1 and (alone := mobility.single_cell_fault) is not None:
            yield Fault(alone)


def _graph_fault(edges: Iterable[Pair]) -> str | None:
    """Return the reason why these edges are not a connected graph of cells; None if they are."""
    around = defaultdict[int, set[int]](set)
    for one, other in edges:
        for cell in (one, other):
            if not 0 <= cell < MOST_CELLS:
                return f"there is no cell {cell}; cells are numbered from 0, and there are at most {MOST_CELLS}"
        if one == other:
            return f"cell {one} cannot be its own neighbour"
        around[one].add(other)
        around[other].add(one)
    if not around:
        return "a graph of cells needs at least one edge, like [0, 1]"
    return _unreachable(around)


def _unreachable(around: dict[int, set[int]]) -> str | None:
    reached, waiting = {0}, [0]
    while waiting:
        fresh = around.get(waiting.pop(), set()) - reached
        reached |= fresh
        waiting.extend(fresh)
    missed = next((cell for cell in range(max(around) + 1) if cell not in reached), None)
    return None if missed is None else f"no path leads from cell 0 to cell {missed}"


def cells_or_count(raw: object) -> object:
    """Read a number of cells: `cells: 9` is a grid of nine cells."""
    if isinstance(raw, int) and not isinstance(raw, bool) and 1 <= raw <= MOST_CELLS:
        return dict(zip(("rows", "columns"), most_square(raw), strict=True))
    if raw is None or isinstance(raw, Mapping | Cells):
        return raw
    known = ", ".join(Cells.model_fields)
    raise refuse(f"{shown(raw)} is not a number of cells; write 1 to {MOST_CELLS}, or keys below it (known: {known})")


CellsOrCount = Annotated[Cells, BeforeValidator(cells_or_count, json_schema_input_type=Cells | Side | None)]
