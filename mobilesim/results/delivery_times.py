"""Times of deliveries that follow from the columns of the table, and where messages are ordered."""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from mobilesim.results.quantities import DELAY_PARTS

Times = Mapping[str, npt.NDArray[Any]]

BEFORE_ARRIVAL: Final = tuple(name for name, part in DELAY_PARTS.items() if part.before_arrival)


def hosts_order(table: Times, stations: int) -> bool:
    """Return whether hosts order messages, and not stations. No table has this; if hosts do, `released` equals
    `delivered`. A network without stations has only hosts.
    """
    return not stations or bool(np.mean(table["released"] == table["delivered"]) > 0.5)


def received(table: Times) -> npt.NDArray[np.int64]:
    """Return when hosts had received and processed the messages."""
    times: npt.NDArray[np.int64] = table["downlink_started"] + table["downlink_air"] + table["receiver_processing"]
    return times


def in_send_queue(table: Times) -> npt.NDArray[np.int64]:
    """Return for how long the messages waited in a send queue at their source, which is part of `inhibition`."""
    times: npt.NDArray[np.int64] = table["arrived"] - table["submitted"]
    for name in BEFORE_ARRIVAL:
        times = times - table[name]
    return times
