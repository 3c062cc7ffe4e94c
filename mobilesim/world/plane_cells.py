"""Cells on a plane: each is the region in which its station is the nearest.

Metres, x to the east and y to the north. The models move hosts in the rectangle from (0, 0) to (width, height); a track
may lead out of it.
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
    """For each cell, the cells that have a border with it within the rectangle."""
    width: float
    height: float
    rim: tuple[int, ...]
    """Cells that include the nearest cell of every point outside of the rectangle."""
    radius: float | None = None
    """How far a station reaches, if not to the border of its cell."""
    origin: Site = (0.0, 0.0)
    """The rectangle's corner in the coordinates of the sites' file; tracks are shifted by it."""
    reference: GeoPoint | None = None
    """The origin of the file's coordinates if these are degrees."""
    names: tuple[str, ...] = ()
    """The names of stations in the file, '' for a station without one; () if there is no file."""

    @property
    def size(self) -> str:
        return f"{self.width:g} m x {self.height:g} m"

    def nearest(self, x: float, y: float, near: int = 0) -> int:
        """Return the cell of a point. `near` is any cell: the closer, the faster."""
        sites, neighbours = self.sites, self.neighbours
        if not (0 <= x <= self.width and 0 <= y <= self.height):
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
        """Return the share of the rectangle that no station reaches, estimated at 64 x 64 points."""
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
