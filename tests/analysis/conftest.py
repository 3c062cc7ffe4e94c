"""One Spark session for all tests, on the Java that comes with the project."""

from collections.abc import Iterator

import pytest
from pyspark.sql import SparkSession

from analysis.session import session


@pytest.fixture(scope="session")
def spark() -> Iterator[SparkSession]:
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("JAVA_HOME", raising=False)
        with session("local[2]") as running:
            yield running
