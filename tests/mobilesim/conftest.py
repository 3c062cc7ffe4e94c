"""Fixtures of several tests of the simulator."""

from pathlib import Path
from typing import Any

import pytest

from tests.support.simulations import FinishedRun, Play, Script, with_free_location


@pytest.fixture
def play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Play:
    def play(script: Script, protocol: object = "av1", **settings: Any) -> FinishedRun:  # noqa: ANN401
        return script.play(monkeypatch, tmp_path, with_free_location(protocol), **settings)

    return play
