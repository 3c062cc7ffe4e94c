"""A tape as comma-separated values, with the names of nodes, and empty fields for what does not apply."""

import csv
from io import StringIO
from typing import Final

from mobilesim.tape.events import NONE, Tape

HEAD: Final = ("time", "until", "event", "node", "peer", "message", "host", "name", "detail")


def comma_separated(tape: Tape) -> str:
    """Return a line for each event, after a line with the names of the columns."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(HEAD)
    for event in tape.events():
        nodes = ["" if node == NONE else tape.node_name(node) for node in (event.node, event.peer)]
        rest = ["" if number == NONE else number for number in (event.message, event.host)]
        detail = "" if event.detail == NONE else event.detail
        writer.writerow([event.time, event.until, event.kind.value, *nodes, *rest, event.name, detail])
    return text.getvalue()
