"""Neighbours in a grid of squares or hexagons. Rows are numbered from south to north."""

from typing import Final

from mobilesim.geometry.voronoi import Neighbours
from mobilesim.scenario.sections.cells import Cells

# A cell of a hexagonal grid has two neighbours in its row, and two each in the rows below and above, half a cell off.
_HEX_EVEN: Final = ((0, -1), (0, 1), (-1, -1), (-1, 0), (1, -1), (1, 0))
_HEX_ODD: Final = ((0, -1), (0, 1), (-1, 0), (-1, 1), (1, 0), (1, 1))
_GRID: Final = ((-1, 0), (0, -1), (0, 1), (1, 0))


def grid_neighbours(cells: Cells) -> Neighbours:
    rows, columns = cells.rows, cells.columns

    def around(row: int, column: int) -> tuple[int, ...]:
        steps = _GRID if cells.shape == "grid" else _HEX_ODD if row % 2 else _HEX_EVEN
        positions = ((row + down, column + right) for down, right in steps)
        return tuple(sorted(r * columns + c for r, c in positions if 0 <= r < rows and 0 <= c < columns))

    return [around(row, column) for row in range(rows) for column in range(columns)]
