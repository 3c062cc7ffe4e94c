"""What holds for every test."""

import gc
import signal
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# No verdict depends on the clock or on luck; `make test-slow` has the tests that draw at random.
settings.register_profile("house", deadline=None, derandomize=True)
settings.load_profile("house")

# Whoever starts the tests in the background may have SIGINT ignored, and children inherit that.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="module", autouse=True)
def _frozen() -> None:
    """A run begins by looking for garbage, and would look through nine thousand tests each time."""
    gc.collect()
    gc.freeze()


def pytest_sessionfinish() -> None:
    """Libraries complain of what is still there when Python ends."""
    gc.unfreeze()


@pytest.fixture(scope="session")
def spark() -> "Iterator[SparkSession]":
    """One Spark session for all tests, on the Java that comes with the project."""
    from analysis.spark.session import session  # imports PySpark, which most tests do without

    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("JAVA_HOME", raising=False)
        with session("local[2]") as running:
            yield running


WITH_SPARK = ("tests/analysis/", "tests/house/test_docs.py")


class OneSpark(LoadFileScheduling):  # type: ignore[misc]  # xdist ships no types
    """One worker gets all tests that need Spark in their own process, so that they share one Java process.

    A mark would say it more plainly, but pytest-xdist 3.8 loses its groups under pytest 9.2: node ids stay as they are.
    """

    def _split_scope(self, nodeid: str) -> str:
        return "spark" if nodeid.startswith(WITH_SPARK) else str(super()._split_scope(nodeid))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> OneSpark:
    return OneSpark(config, log)
