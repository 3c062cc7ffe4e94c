"""The summary in Spark, the summary without Spark and DuckDB compute the same numbers from results of real runs."""

from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from benchmarks.enlarged_results import COPIES, make_results
from benchmarks.result_comparison import differences
from mobilesim.analysis.summary.delivery_totals import delivery_totals
from mobilesim.analysis.summary.pooling import estimates_here
from mobilesim.analysis.summary.results_reader import read_results
from mobilesim.analysis.summary.run_metrics import BATCHES
from mobilesim.analysis.summary.spark_job import estimates_in_spark

pytestmark = pytest.mark.full

duckdb_summary = pytest.importorskip("benchmarks.duckdb_summary")

REPETITIONS = 3
MESSAGES = 150


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("grown")
    make_results(directory, replications=2, messages=MESSAGES, repetitions=REPETITIONS, cores=1)
    return directory


def test_enlarged_results_add_up_and_are_in_time_order(grown: Path) -> None:
    for run in read_results(grown).runs:
        seen = delivery_totals(run, BATCHES)
        assert (seen.rows, seen.faults) == (MESSAGES * COPIES * REPETITIONS, 0)
        times = run.read("deliveries", "delivered", "message")
        assert times["delivered"].to_pylist() == sorted(times["delivered"].to_pylist())
        assert len(set(times["message"].to_pylist())) == MESSAGES * REPETITIONS
        assert pq.read_metadata(run.path("messages")).num_rows == MESSAGES * REPETITIONS


def test_duckdb_computes_the_same_summary(grown: Path, spark: SparkSession) -> None:
    found = read_results(grown)
    (estimated,) = estimates_in_spark(spark, grown, found.runs, lambda _: None).values()
    answers = duckdb_summary.DuckDbSummary(grown, threads=1).query()
    assert list(differences(found.runs, estimated, answers)) == []
    answers.batches[3]["wired"] += 1
    assert len(list(differences(found.runs, estimated, answers))) == 1


def test_the_summary_without_spark_is_the_same_to_the_last_digit(grown: Path, spark: SparkSession) -> None:
    runs = read_results(grown).runs
    assert len(runs) == 4
    assert estimates_here(runs, lambda _: None) == estimates_in_spark(spark, grown, runs, lambda _: None)
    # The order of the runs has no influence, as in Spark, where tasks finish in any order.
    assert estimates_here(runs[::-1], lambda _: None) == estimates_here(runs, lambda _: None)
