"""What each shipped scenario, sweep and study must show, as facts of its tables, in full length and with `--quick`."""

from collections.abc import Callable
from pathlib import Path
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

Fact = Callable[[Path], bool]


def rows(results: Path, table: str, *columns: str) -> pa.Table:
    return pa.concat_tables(pq.read_table(path, columns=list(columns)) for path in (results / table).iterdir())


def positive(table: str, column: str, **only: str) -> Fact:
    """Return this fact: the column has a positive value in a row with the given values."""

    def shows(results: Path) -> bool:
        found = rows(results, table, column, *only)
        for key, value in only.items():
            found = found.filter(pc.equal(found[key], value))
        return bool(pc.any(pc.greater(found[column].cast(pa.int64()), 0)).as_py())

    return shows


def several_links(results: Path) -> bool:
    """Return whether packets cross more than 1.5 wired links for each delivery, so most paths have several links."""
    links = rows(results, "links", "packets", "kind")
    crossed = pc.sum(links.filter(pc.equal(links["kind"], "wired"))["packets"]).as_py()
    return bool(crossed > 1.5 * rows(results, "deliveries", "destination").num_rows)


def headers_that_differ(results: Path) -> bool:
    """Return whether mean header sizes differ between protocols."""
    messages = rows(results, "messages", "protocol", "header_bytes").unify_dictionaries()
    means = messages.group_by("protocol").aggregate([("header_bytes", "mean")])
    return len(set(means["header_bytes_mean"].to_pylist())) > 1


HAND_OFFS: Final = positive("handoffs", "entered")
ABSENCE: Final = positive("disconnections", "returned")
DISORDER: Final = positive("runs", "causal_violations")
HEADERS: Final = headers_that_differ
INHIBITION: Final = positive("deliveries", "inhibition")
MOVING: Final = (HAND_OFFS,)

PURPOSES: Final[dict[str, tuple[Fact, ...]]] = {
    "backbone/barabasi-albert": (HAND_OFFS, several_links),
    "backbone/failing-links": (HAND_OFFS, several_links, positive("links", "lost_packets", kind="wired"), DISORDER),
    "backbone/triangle": (HAND_OFFS, several_links),
    "backbone/waxman": (HAND_OFFS, several_links),
    "campus": (HAND_OFFS, ABSENCE, positive("deliveries", "sender_away"), positive("runs", "away_at_end")),
    "cells/town": (HAND_OFFS, ABSENCE),
    "hexagons": MOVING,
    "mobility/commuter": MOVING,
    "mobility/gauss-markov": MOVING,
    "mobility/group": MOVING,
    "mobility/hotspot": MOVING,
    "mobility/levy": MOVING,
    "mobility/manhattan": MOVING,
    "mobility/stampede": MOVING,
    "mobility/track": (HAND_OFFS, ABSENCE),
    "mobility/trips": MOVING,
    "mobility/waypoint": (HAND_OFFS, ABSENCE),
    "papers/av-figure-1": (HAND_OFFS, HEADERS, INHIBITION),
    "papers/av-figure-2": (HAND_OFFS, HEADERS, INHIBITION),
    "papers/av-section-1": (HAND_OFFS, HEADERS),
    "papers/mr-resynchronisation": (HEADERS, INHIBITION),
    "papers/msv-topologies": (DISORDER, positive("clocks", "compared")),
    "papers/prs-figure-4": (HEADERS,),
    "papers/prs-figure-5": (HEADERS,),
    "papers/prs-figure-6": (HEADERS,),
    "papers/prs-figure-7": (HEADERS,),
    "quickstart": (HAND_OFFS, HEADERS, DISORDER),
    "radio/batteries": (positive("hosts", "died"),),
    "radio/contention": (
        positive("hosts", "cut_offs"),
        positive("links", "packets", kind="beacon"),
        positive("links", "lost_packets", kind="downlink"),
    ),
    "radio/dozing": (positive("hosts", "dozing"), positive("hosts", "wake_ups")),
    "radio/shared-air": (
        positive("links", "lost_packets", kind="uplink"),
        positive("deliveries", "uplink_queue"),
        positive("deliveries", "retransmissions"),
    ),
    "static/causal-barriers": (HEADERS, DISORDER),
    "static/flushed-views": (
        HEADERS,
        INHIBITION,
        DISORDER,
        positive("hosts", "view_packets"),
        positive("runs", "left"),
    ),
    "static/joining-and-leaving": (HEADERS, DISORDER, positive("hosts", "left"), positive("runs", "left")),
    "static/ordering-headers": (HEADERS,),
    "static/overlapping-groups": (HEADERS,),
    "static/overtaking": (DISORDER, positive("deliveries", "causal_wait")),
    "stress/hand-off-storm": (HAND_OFFS, INHIBITION, positive("handoffs", "superseded"), DISORDER),
    "stress/long-disconnection": (HAND_OFFS, ABSENCE, positive("disconnections", "waiting")),
    "stress/ping-pong": (HAND_OFFS, ABSENCE, positive("handoffs", "superseded")),
    "stress/switched-off": (ABSENCE, positive("runs", "dropped")),
    "stress/ten-thousand-hosts": MOVING,
    "stress/thousand-hosts": (HAND_OFFS, HEADERS),
    "sweeps/crossing": (HAND_OFFS, INHIBITION),
    "sweeps/disconnection": (HAND_OFFS, ABSENCE),
    "sweeps/k-of-algorithm-3": (HEADERS, INHIBITION),
    "sweeps/mobility": (HAND_OFFS, HEADERS),
    "sweeps/scale": (HAND_OFFS, HEADERS),
    "sweeps/what-decides": (HAND_OFFS, HEADERS),
    "tree-backbone": (HAND_OFFS, several_links),
    "what-if/battery": (positive("hosts", "died"), positive("hosts", "dozing")),
    "what-if/half-bandwidth": (positive("deliveries", "uplink_air"), positive("deliveries", "wired")),
    "what-if/placement-of-headers": (HAND_OFFS, HEADERS),
    "what-if/ring-backbone": (HAND_OFFS, several_links),
    "what-if/shorter-headers": (HAND_OFFS, HEADERS),
    "what-if/slow-air": (positive("deliveries", "downlink_queue"),),
    "workload/conversations": (HAND_OFFS, DISORDER, positive("deliveries", "downlink_queue")),
}
