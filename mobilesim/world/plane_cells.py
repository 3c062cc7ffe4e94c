"""Cells on a plane: a cell is the region in which its station is the nearest station.

Coordinates are metres, x to the east and y to the north. Mobility models move hosts in the rectangle from (0, 0) to
(width, height). A track may leave this rectangle.
"""

from dataclasses import dataclass
from typing import Final

from mobilesim.geometry.earth import GeoPoint
from mobilesim.geometry.voronoi import Neighbours, Polygon, Site, regions

_SAMPLES: Final = 64


@dataclass(frozen=True, slots=True)
class PlaneCells:
    sites: tuple[Site, ...]
    neighbours: Neighbours
    """For each cell, the cells that have a border with this cell within the rectangle."""
    width: float
    height: float
    rim: tuple[int, ...]
    """The cells at the edge of the rectangle. The nearest cell of a point outside the rectangle is one of these."""
    radius: float | None = None
    """The range of a station, None if every cell is covered up to its border."""
    origin: Site = (0.0, 0.0)
    """The south-western corner in the coordinates of the sites' file. It is subtracted from positions in tracks."""
    reference: GeoPoint | None = None
    """The point on the earth with coordinates 0 m, 0 m, if the file has degrees; else None."""
    names: tuple[str, ...] = ()
    """The names of the stations in the sites' file, '' for a station without a name; () without a file."""

    @property
    def size(self) -> str:
        return f"{self.width:g} m x {self.height:g} m"

    def nearest(self, x: float, y: float, near: int = 0) -> int:
        """Return the cell of a point. The search starts at the cell `near`."""
        sites, neighbours = self.sites, self.neighbours
        if not self.holds(x, y):
            return min(self.rim, key=lambda cell: (self.squared(cell, x, y), cell))
        at_x, at_y = sites[near]
        least = (x - at_x) * (x - at_x) + (y - at_y) * (y - at_y)
        while True:
            cell = near
            for other in neighbours[cell]:
                at_x, at_y = sites[other]
                squared = (x - at_x) * (x - at_x) + (y - at_y) * (y - at_y)
                if squared < least:
                    least, near = squared, other
            if near == cell:
                return cell

    def holds(self, x: float, y: float) -> bool:
        return 0 <= x <= self.width and 0 <= y <= self.height

    def squared(self, cell: int, x: float, y: float) -> float:
        at_x, at_y = self.sites[cell]
        return (x - at_x) * (x - at_x) + (y - at_y) * (y - at_y)

    def covers(self, cell: int, x: float, y: float) -> bool:
        return self.radius is None or self.squared(cell, x, y) <= self.radius * self.radius

    def unreached(self) -> float:
        """Return the share of the rectangle that is not covered, estimated at 64 x 64 points."""
        if self.radius is None:
            return 0.0
        missed = cell = 0
        for row in range(_SAMPLES):
            y = (row + 0.5) / _SAMPLES * self.height
            for column in range(_SAMPLES):
                x = (column + 0.5) / _SAMPLES * self.width
                cell = self.nearest(x, y, cell)
                missed += not self.covers(cell, x, y)
        return missed / _SAMPLES**2

    def polygons(self) -> list[Polygon]:
        return regions(self.sites, self.width, self.height).polygons
