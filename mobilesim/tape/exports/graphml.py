"""The graph of what happened before what: a node for each submission and each delivery, an edge from each to the next
one at the same host, and from the submission of a message to its deliveries. Paths are causal precedence.
"""

from collections.abc import Iterator
from xml.sax.saxutils import escape

from mobilesim.tape.events import EventKind, Tape
from mobilesim.tape.exports.happenings import Happening, happenings

_KEYS = {"time": "long", "event": "string", "node": "string", "message": "int", "kind": "string"}
_KINDS = (EventKind.SUBMITTED, EventKind.DELIVERED)


def graphml(tape: Tape) -> str:
    """Return the document."""
    found = [(index, each) for index, each in enumerate(happenings(tape)) if each.event.kind in _KINDS]
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">']
    for name, kind in _KEYS.items():
        domain = "edge" if name == "kind" else "node"
        lines.append(f'  <key id="{name}" for="{domain}" attr.name="{name}" attr.type="{kind}"/>')
    lines.append('  <graph edgedefault="directed">')
    lines += [line for index, each in found for line in _node(tape, index, each)]
    lines += _edges(found)
    return "\n".join([*lines, "  </graph>", "</graphml>", ""])


def _node(tape: Tape, index: int, each: Happening) -> Iterator[str]:
    content = {
        "time": each.time,
        "event": each.event.kind.value,
        "node": tape.node_name(each.node),
        "message": each.event.message,
    }
    data = "".join(f'<data key="{name}">{escape(str(value))}</data>' for name, value in content.items())
    yield f'    <node id="e{index}">{data}</node>'


def _edges(found: list[tuple[int, Happening]]) -> Iterator[str]:
    last: dict[int, int] = {}
    for index, each in found:
        sources = {"order": last.get(each.node, -1), "message": each.cause}
        for kind, source in sources.items():
            if source >= 0:
                yield f'    <edge source="e{source}" target="e{index}"><data key="kind">{kind}</data></edge>'
        last[each.node] = index
