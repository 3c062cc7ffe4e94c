"""Where hosts can be and what carries their messages: cells, the wired backbone, the wireless links."""

from collections.abc import Iterator, Mapping
from math import isqrt
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, BeforeValidator, Field

from mobilesim.scenario import topology
from mobilesim.scenario.faults import Fault, refuse, shown
from mobilesim.scenario.fields import MANY, Bandwidth, Flag, GraphFile, Pair, Time, Times, Whole, setting
from mobilesim.scenario.section import Section

MOST_CELLS: Final = 10_000

Side = Annotated[Whole, Field(ge=1, le=MOST_CELLS)]


def most_square(cells: int) -> tuple[int, int]:
    """Rows and columns of the most nearly square grid of exactly so many cells; one row where the number is prime."""
    rows = next(rows for rows in range(isqrt(cells), 0, -1) if cells % rows == 0)
    return rows, cells // rows


def _ordered(edges: tuple[tuple[int, int], ...] | None) -> tuple[tuple[int, int], ...] | None:
    return None if edges is None else tuple(sorted({(min(edge), max(edge)) for edge in edges}))


class Cells(Section):
    shape: Literal["grid", "hex", "graph"] = setting(
        "grid",
        "How cells touch: 'grid' (up to 4 neighbours), 'hex' (up to 6), or a 'graph' of your own (edges or file).",
    )
    rows: Side = setting(3, "Rows of a grid or hex.")
    columns: Side = setting(3, "Columns of a grid or hex.")
    edges: Annotated[tuple[Pair, ...] | None, AfterValidator(_ordered)] = setting(
        None,
        "The pairs of cells that touch, for shape 'graph'; cells are numbered from 0.",
        examples=[[[0, 1], [1, 2]]],
    )
    file: GraphFile | None = setting(
        None, "A GraphML file with the graph of cells, for shape 'graph'.", examples=["cells.graphml"]
    )

    @property
    def count(self) -> int | None:
        """None where only the file knows."""
        if self.shape != "graph":
            return self.rows * self.columns
        return None if self.edges is None else 1 + max(max(edge) for edge in self.edges)

    def faults(self) -> Iterator[Fault]:
        yield from self._graph_faults() if self.shape == "graph" else self._grid_faults()

    def _grid_faults(self) -> Iterator[Fault]:
        for key in ("edges", "file"):
            if getattr(self, key) is not None:
                yield Fault(f"a {self.shape} has no such thing; write 'shape: graph' too, or leave it out", (key,))
        if self.rows * self.columns > MOST_CELLS:
            yield Fault(f"{self.rows} x {self.columns} cells are too many; the most is {MOST_CELLS}", ("rows",))

    def _graph_faults(self) -> Iterator[Fault]:
        for key in sorted({"rows", "columns"} & self.model_fields_set):
            yield Fault("a graph of cells has no rows and columns; leave it out, or write 'shape: grid'", (key,))
        if (self.edges is None) == (self.file is None):
            yield Fault("a graph of cells needs either edges or a file", ("shape",))
        elif self.edges is not None and (fault := topology.cell_graph_fault(self.edges, MOST_CELLS)):
            yield Fault(fault, ("edges",))


class LinkOverride(Section):
    between: Pair = Field(
        description="The two stations that the link joins; station i serves cell i.", examples=[[0, 1]]
    )
    latency: Time | None = setting(None, "Instead of the backbone's latency.")
    bandwidth: Bandwidth | None = setting(None, "Instead of the backbone's bandwidth.")
    jitter: Times | None = setting(None, "Instead of the backbone's jitter.")


class Backbone(Section):
    topology: Literal["mesh", "ring", "star", "tree", "graphml"] = setting(
        "mesh",
        "How the stations are wired, one per cell: 'mesh' (every pair), 'ring', 'star' (station 0 is the hub), "
        "'tree' (station 0 is the root), or 'graphml' (from file). In a mesh packets always take the direct link, "
        "elsewhere the path with the least mean delay.",
    )
    file: GraphFile | None = setting(
        None,
        "The GraphML file, for topology 'graphml'; as many nodes as there are cells.",
        examples=["backbone.graphml"],
    )
    branching: Annotated[Whole, Field(ge=1, le=MANY)] = setting(2, "Children of each station of a tree.")
    latency: Time = setting("7 ms", "Propagation time of a link.")
    bandwidth: Bandwidth = setting("100 Mbit/s", "Bandwidth of a link, in each direction.")
    jitter: Times = setting("0 s", "A time or distribution that is added to each packet's propagation.")
    fifo: Flag = setting(False, "Whether packets from one station to another keep their order in spite of jitter.")
    links: tuple[LinkOverride, ...] = setting(
        (), "Single links that differ from the rest. A slow link of a mesh is not avoided; elsewhere it may be."
    )

    def faults(self) -> Iterator[Fault]:
        if self.topology == "graphml" and self.file is None:
            yield Fault("topology 'graphml' needs a file", ("topology",))
        if self.topology != "graphml" and self.file is not None:
            yield Fault(
                f"a {self.topology} is not read from a file; write 'topology: graphml', or leave it out", ("file",)
            )
        seen = set[tuple[int, int]]()
        for place, link in enumerate(self.links):
            pair = (min(link.between), max(link.between))
            if pair in seen:
                yield Fault(
                    f"the link between stations {pair[0]} and {pair[1]} is here twice", ("links", place, "between")
                )
            seen.add(pair)

    def absent_links(self, stations: int) -> Iterator[Fault]:
        """The overrides that name a link which so many stations do not have, as far as the scenario alone can tell."""
        for place, link in enumerate(self.links):
            if fault := topology.link_fault(self.topology, link.between, stations, self.branching):
                yield Fault(fault, ("links", place, "between"))


class Wireless(Section):
    bandwidth: Bandwidth = setting("1 Mbit/s", "Bandwidth of each cell's uplink and of its downlink.")
    uplink: Bandwidth | None = setting(
        None, "Bandwidth from host to station, where it differs.", examples=["256 kbit/s"]
    )
    downlink: Bandwidth | None = setting(
        None, "Bandwidth from station to host, where it differs.", examples=["2 Mbit/s"]
    )
    latency: Time = setting("500 us", "Propagation time in the air.")
    beacon: Time = setting("0 s", "Period of the stations' beacons; with 0 s a host knows at once in which cell it is.")

    @property
    def up(self) -> int:
        return self.uplink or self.bandwidth

    @property
    def down(self) -> int:
        return self.downlink or self.bandwidth


def cells_or_count(raw: object) -> object:
    """`cells: 9` is a grid of nine cells."""
    if isinstance(raw, int) and not isinstance(raw, bool) and 1 <= raw <= MOST_CELLS:
        return dict(zip(("rows", "columns"), most_square(raw), strict=True))
    if raw is None or isinstance(raw, Mapping | Cells):
        return raw
    known = ", ".join(Cells.model_fields)
    raise refuse(f"{shown(raw)} is not a number of cells; write 1 to {MOST_CELLS}, or keys below it (known: {known})")


CellsOrCount = Annotated[Cells, BeforeValidator(cells_or_count)]
