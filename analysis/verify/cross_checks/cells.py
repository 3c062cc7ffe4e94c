"""The cell of each host over time, from the hand-offs, compared with the stations in other tables.

A host sends and receives frames only in a cell. A host without hand-offs stays in one cell, whose station the tables
name again and again. Rows from before the measurement window are not compared.
"""

from typing import Final

import numpy as np

from mobilesim.analysis.verify.checks import Column, Mask, RunChecks
from mobilesim.analysis.verify.columns import outside, read_columns
from mobilesim.analysis.verify.messages import Network

_NOWHERE: Final = -2


class Cells:
    """`single`: the cell of a host without hand-offs, after the first row that names it; -1 until then."""

    def __init__(self, checks: RunChecks, network: Network) -> None:
        table = read_columns(checks.run, "handoffs", "host", "visit", "from_station", "to_station", "left", "entered")
        order = np.lexsort((table["visit"], table["host"]))
        self._host, self._from, self._to, self._left, self._entered = (
            table[name][order].astype(np.int64) for name in ("host", "from_station", "to_station", "left", "entered")
        )
        self._begin = checks.row["measured_from"]
        self._span = max(int(self._left.max(initial=0)), checks.row["simulated"]) + 2
        self._keys = self._host * self._span + self._left
        self._moves = np.zeros(network.hosts, np.bool_)
        self._moves[self._host[~outside(self._host, network.hosts)]] = True
        self._single = np.full(network.hosts, -1, np.int64)

    def elsewhere(self, host: Column, moment: Column, station: Column, *, also_left: bool = False) -> Mask:
        """Mark the rows in which the host was not in the cell of this station at this moment. `also_left`: a host
        between two cells is still in the cell that it has left.
        """
        wrong = np.zeros(len(host), np.bool_)
        rows = np.flatnonzero(~outside(host, len(self._moves)) & (moment >= self._begin))
        moves = self._moves[host[rows]]
        here = rows[~moves]
        self._learn(host[here], station[here])
        wrong[here] = self._single[host[here]] != station[here]
        rows = rows[moves]
        some, moments, stations = host[rows].astype(np.int64), moment[rows], station[rows]
        at = some * self._span + np.minimum(moments, self._span - 1)
        # At the moment of a departure, the order of events is unknown.
        before, after = (np.searchsorted(self._keys, at, side) - 1 for side in ("left", "right"))
        wrong[rows] = (self._cells(some, before, moments) != stations) & (self._cells(some, after, moments) != stations)
        if also_left and len(self._from):
            wrong[rows] &= self._from[np.maximum(after, 0)] != stations
        return wrong

    def _learn(self, host: Column, station: Column) -> None:
        first = np.unique(host, return_index=True)[1]
        new = first[self._single[host[first]] < 0]
        self._single[host[new]] = station[new]

    def _cells(self, host: Column, row: Column, moment: Column) -> Column:
        """Return the cell of each host after the hand-off in this row; before its first hand-off if the row is that of
        another host.
        """
        last, following = np.maximum(row, 0), np.minimum(row + 1, len(self._host) - 1)
        moved = (row >= 0) & (self._host[last] == host)
        after = np.where(moment >= self._entered[last], self._to[last], _NOWHERE)
        return np.where(moved, after, self._from[following])
