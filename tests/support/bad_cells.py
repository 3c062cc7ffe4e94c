"""Scenarios with one mistake in their cells, each with its exact error line."""

from typing import Final

from tests.support.bad_scenarios import Bad

CELLS: Final = (
    Bad(
        "cells: {shape: gird}\n",
        "x.yaml:1: cells.shape: 'gird' is not one of grid, hex, graph, sites; did you mean 'grid'?",
    ),
    Bad("cells: {spacing: 500}\n", "x.yaml:1: cells.spacing: 500 has no unit; write '500 m' or '500 km'"),
    Bad("cells: {spacing: 0 m}\n", "x.yaml:1: cells.spacing: 0 m is too little; write 1 m or more"),
    Bad(
        "cells: {radius: 3 s}\n", "x.yaml:1: cells.radius: '3 s' is not a length; write a number and a unit, like '7 m'"
    ),
    Bad(
        "cells: {margin: 1 km}\n",
        "x.yaml:1: cells.margin: the margin of a grid is half its spacing; leave this key out",
    ),
    Bad("cells: {shape: sites}\n", "x.yaml:1: cells.shape: sites need a file with their positions"),
    Bad(
        "cells: {shape: hex, file: sites.csv}\n",
        "x.yaml:1: cells.file: the file 'sites.csv' does not exist (relative names start at the scenario's folder)",
    ),
    Bad(
        "cells: {shape: graph, edges: [[0, 1]], radius: 1 km}\n",
        "x.yaml:1: cells.radius: a graph of cells has no lengths; leave this key out, or write 'shape: grid'",
    ),
    Bad(
        "cells: {rows: 1000, columns: 1000}\n",
        "x.yaml:1: cells.rows: 1000 x 1000 cells are too many; the maximum is 10000",
    ),
    Bad(
        "cells: {edges: [[0, 1]]}\n",
        "x.yaml:1: cells.edges: does not apply to shape 'grid'; write 'shape: graph' too, or leave this key out",
    ),
    Bad("cells: {shape: graph}\n", "x.yaml:1: cells.shape: a graph of cells needs either edges or a file"),
    Bad(
        "cells: {shape: graph, rows: 3, edges: [[0, 1]]}\n",
        "x.yaml:1: cells.rows: a graph of cells has no rows and columns; leave this key out, or write 'shape: grid'",
    ),
    Bad(
        "cells: {shape: graph, edges: []}\n",
        "x.yaml:1: cells.edges: a graph of cells needs at least one edge, like [0, 1]",
    ),
    Bad(
        "cells:\n  shape: graph\n  edges:\n    - [0, 1]\n    - [1]\n",
        "x.yaml:5: cells.edges[1]: write two numbers, like [0, 1]",
    ),
    Bad("cells: {shape: graph, edges: [[0, 1, 2]]}\n", "x.yaml:1: cells.edges[0]: write two numbers, like [0, 1]"),
    Bad(
        "cells: {shape: graph, edges: [[0, 1], [2, 3]]}\n", "x.yaml:1: cells.edges: no path leads from cell 0 to cell 2"
    ),
    Bad(
        "cells: {shape: graph, edges: [[0, 1], [1, 1]]}\n", "x.yaml:1: cells.edges: cell 1 cannot be its own neighbour"
    ),
    Bad(
        "cells: {shape: graph, edges: [[0, -1]]}\n",
        "x.yaml:1: cells.edges: there is no cell -1; cells are numbered from 0, and there are at most 10000",
    ),
    Bad(
        "cells: {shape: graph, file: nowhere.graphml}\n",
        "x.yaml:1: cells.file: the file 'nowhere.graphml' does not exist (relative names start at the "
        "scenario's folder)",
    ),
)
