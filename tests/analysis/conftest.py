"""One Spark session for all tests, on the Java that comes with the project; and results that a run has written."""

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from analysis.spark.session import session
from tests.support.altered_results import written


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("JAVA_HOME", raising=False)
        with session("local[2]") as running:
            yield running


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
