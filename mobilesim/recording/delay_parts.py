"""The columns of `deliveries` that are computed from records: moments become parts, thousands of rows at a time.

The parts of a delay add up to it exactly.
"""

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from mobilesim.recording.delivery_record import FIELDS, NEVER
from mobilesim.results.quantities import DELAY_PARTS

Columns: TypeAlias = Mapping[str, npt.NDArray[np.int64]]


def columns(rows: npt.NDArray[np.int64], *, at_host: bool, integer: int) -> Columns:
    """Return the fields of delivery records, a row each, and the columns computed from them.

    `at_host`: hosts order messages, not stations. `integer`: the bytes of an integer of a header.
    """
    at: dict[str, Any] = dict(zip(FIELDS, rows.T, strict=True))
    ordered = "heard" if at_host else "arrived"
    at["released"] = at["delivered"] if at_host else at["handed"]
    at["delay"] = at["delivered"] - at["submitted"]
    at["header_bytes"] = at["header_integers"] * integer
    at.update(zip(DELAY_PARTS, _parts(at, at_host=at_host), strict=True))
    at["deliverable"] = np.maximum(at["deliverable"], at[ordered])
    return at


def _parts(at: Mapping[str, Any], *, at_host: bool) -> tuple[npt.NDArray[np.int64], ...]:
    """Return the parts in the order of `DELAY_PARTS`.

    Inhibition is the rest of a wait for order, so that the parts add up. The time in a send queue is inhibition, too:
    that queue is at the source's host before the uplink frame, or at its station after it.
    """
    ordered = "heard" if at_host else "arrived"
    queue = at["downlink_started"] - at["handed"]
    missed = np.minimum(at["heard_away"] - at["handed_away"], queue)
    unreachable = at["handed_away"] - at["arrived_away"] + at["delivered_away"] - at["heard_away"]
    wait = at["handed"] - at["arrived"] + at["delivered"] - at["heard"] - unreachable
    necessary = at["deliverable"] - at[ordered] - (at["deliverable_away"] - at[f"{ordered}_away"])
    causal = np.where(at["deliverable"] == NEVER, 0, np.clip(necessary, 0, wait))
    return (
        at["uplink_started"] - at["submitted"] - (at["held"] if at_host else 0),
        at["accepted"] - at["uplink_started"],
        at["stamped"] - at["accepted"] - (0 if at_host else at["held"]),
        at["sent"] - at["stamped"] + at["first"] - at["landed"],
        at["landed"] - at["sent"],
        at["arrived"] - at["first"],
        unreachable + missed,
        causal,
        wait - causal + at["held"],
        queue - missed,
        at["heard"] - at["downlink_started"],
    )
