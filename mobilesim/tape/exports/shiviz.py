"""A log for ShiViz, which draws space-time diagrams from vector clocks.

The clocks are computed here, from the exported events alone: the number of a node in its own clock rises by one with
each of its events. The clocks of protocols would have gaps, because they do not count all of these events.
"""

import json
from typing import Final

from mobilesim.tape.events import Tape
from mobilesim.tape.exports.happenings import happenings

PARSER: Final = r"(?<event>.*)\n(?<host>\S*) (?<clock>{.*})"
"""The regular expression by which ShiViz reads an event. The first line of the log contains it."""


def shiviz(tape: Tape) -> str:
    """Return the log: the expression, an empty line, and two lines for each event."""
    lines, clocks, of_sends = [PARSER, ""], dict[int, dict[str, int]](), dict[int, dict[str, int]]()
    found = happenings(tape)
    causes = {each.cause for each in found}
    for index, each in enumerate(found):
        name, clock = tape.node_name(each.node), clocks.setdefault(each.node, {})
        for other, count in of_sends.get(each.cause, {}).items():
            clock[other] = max(clock.get(other, 0), count)
        clock[name] = clock.get(name, 0) + 1
        if index in causes:
            of_sends[index] = dict(clock)
        lines += [f"{each.text} at {_moment(tape, each.time)}", f"{name} {json.dumps(clock)}"]
    return "\n".join(lines) + "\n"


def _moment(tape: Tape, time: int) -> str:
    return f"step {time}" if tape.header.unit == "step" else f"{time / 1e6:.6f} ms"
