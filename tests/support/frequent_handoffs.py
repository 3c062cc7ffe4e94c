"""Settings with frequent hand-offs, and workloads with each kind of destinations."""

from typing import Any, Final

RESTLESS: Final[dict[str, Any]] = {
    "hosts": 12,
    "cells": 6,
    "duration": "3 s",
    "backbone": {"jitter": "exponential 20 ms"},
    "wireless": {"latency": "5 ms"},
    "mobility": {"dwell": "exponential 300 ms", "disconnect": {"probability": 0.1, "duration": "exponential 300 ms"}},
}
WORKLOADS: Final[dict[str, dict[str, Any]]] = {
    "one": {"interval": "exponential 60 ms"},
    "some": {"kind": "multicast", "destinations": 3, "interval": "exponential 100 ms"},
    "all": {"kind": "multicast", "destinations": "all", "interval": "exponential 200 ms"},
    "groups": {"interval": "exponential 100 ms"},
}
