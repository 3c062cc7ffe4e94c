"""Tapes for tests of the viewer, and what its page decodes."""

import json
import re
import zlib
from base64 import b64decode
from typing import Any

import numpy as np

from mobilesim.tape.events import COLUMNS, ENDLESS, KINDS, Column, Tape, TapeHeader
from mobilesim.tape.tape_builder import TapeBuilder
from mobilesim.viewing.page import page


def random_tape(events: int, *, seed: int = 0, hosts: int = 5, stations: int = 3) -> Tape:
    """Return a tape of random rows, many of them at the same time, and some with huge numbers."""
    random = np.random.default_rng(seed)
    builder, nodes = TapeBuilder(), hosts + stations
    names = [builder.name(text) for text in ("", "data", "state transfer", "before </script>")]
    for _ in range(events):
        time = int(random.integers(0, 5) if random.random() < 0.5 else random.integers(0, 1 << 50))
        node, peer = int(random.integers(-1, nodes)), int(random.integers(-1, nodes))
        message, host = int(random.integers(-1, 40)), int(random.integers(-1, hosts))
        until, name = time + int(random.integers(0, 1 << 33)), names[int(random.integers(len(names)))]
        builder.add(
            int(random.integers(len(KINDS))), time, until, node, peer, message, host, name, int(random.integers(-1, 9))
        )
    return builder.tape(header(hosts=hosts, stations=stations))


def header(scenario: str = "s", *, hosts: int = 2, stations: int = 1, unit: str = "ns") -> TapeHeader:
    run = {"scenario": scenario, "protocol": "av1", "replication": 0}
    cells = (0,) * hosts
    return TapeHeader("run", unit, "cells", hosts, stations, cells, run, 0, ENDLESS)


def embedded_text(tape: Tape) -> str:
    """Return the text of the tape in its page."""
    found = re.search(r'<script type="text/plain" id="tape">([^<]*)</script>', page(tape))
    assert found is not None
    return found[1]


def decoded(text: str) -> tuple[dict[str, Any], dict[str, Column], list[str]]:
    """Return the header, the columns and the names in a page's text. The page itself does this in TypeScript."""
    content = zlib.decompress(b64decode(text))
    length = int.from_bytes(content[:4], "little")
    document = json.loads(content[4 : 4 + length])
    at, found = 4 + length, {}
    for name, width in document["columns"]:
        planes = np.frombuffer(content, np.uint8, width * document["rows"], at).reshape(width, -1).astype(object)
        numbers = sum((plane * 256**index for index, plane in enumerate(planes)), np.zeros(document["rows"], object))
        found[name] = np.array([-(n + 1) // 2 if n % 2 else n // 2 for n in numbers], np.int64)
        at += width * document["rows"]
    assert at == len(content)
    found["time"], found["message"] = np.cumsum(found["time"]), np.cumsum(found["message"])
    found["until"] = found["time"] + found.pop("length")
    stations = document["header"]["stations"]
    ends = zip(found["node"].tolist(), found["peer"].tolist(), strict=True)
    known = [next((end - stations for end in pair if end >= stations), -1) for pair in ends]
    found["host"] = found["host"] + np.array(known, np.int64)
    order = np.lexsort((found.pop("rank"), found["time"]))
    return document["header"], {name: found[name][order] for name in COLUMNS}, document["names"]
