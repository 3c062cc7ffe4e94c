"""Results that a run has written."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.altered_results import written


@pytest.fixture(scope="session")
def originals(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Results of several scenarios, by name, to look at."""
    return written(tmp_path_factory.mktemp("verified"))


@pytest.fixture
def copied(originals: Path, tmp_path: Path) -> Callable[[str], Path]:
    """Those of one scenario, to be altered."""

    def copy(name: str) -> Path:
        return Path(shutil.copytree(originals / name, tmp_path / name))

    return copy
