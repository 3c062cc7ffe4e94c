"""The data that a report page contains for its script."""

import json
import re
from typing import Any


def plots(text: str) -> dict[str, Any]:
    """Return the data of every figure by its key, in the order of the page."""
    found = re.search(r'<script type="application/json" id="plots">(.*?)</script>', text, re.DOTALL)
    assert found is not None
    drawn: dict[str, Any] = json.loads(found[1])
    return drawn


def bars(plot: dict[str, Any]) -> list[str]:
    return [trace["name"] for trace in plot["data"] if trace["type"] == "bar"]
