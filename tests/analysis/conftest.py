"""Results of runs for the tests of analysis."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.altered_results import write_results


@pytest.fixture(scope="session")
def originals(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Results of several scenarios, by name. Tests read them and must not change them."""
    return write_results(tmp_path_factory.mktemp("verified"))


@pytest.fixture
def copied(originals: Path, tmp_path: Path) -> Callable[[str], Path]:
    """A copy of the results of one scenario, which a test may change."""

    def copy(name: str) -> Path:
        return Path(shutil.copytree(originals / name, tmp_path / name))

    return copy
