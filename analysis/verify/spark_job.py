"""Verify many runs in Spark: one task per run."""

from collections.abc import Callable, Iterator, Sequence

from pyspark import RDD

from mobilesim.analysis.spark.jobs import collect
from mobilesim.analysis.spark.session import session
from mobilesim.analysis.verify.checks import RunAndRow, RunChecks
from mobilesim.analysis.verify.verify_run import verify_run
from mobilesim.errors import counted
from mobilesim.results.location import Location


def verified_in_spark(
    directory: Location,
    runs: Sequence[RunAndRow],
    progress: Callable[[str], None],
    *,
    master: str | None,
    memory: str | None,
) -> Iterator[RunChecks | str]:
    """Yield what `verify_run` returns for each run with its row. `memory`: the limit for the Spark driver."""
    with session(master, "mobilesim verify-results", memory=memory, progress=progress) as spark:
        progress(f"verifying {counted(len(runs), 'run')}…")

        def tasks() -> RDD[RunChecks | str]:
            return spark.sparkContext.parallelize(runs, len(runs)).map(lambda run_and_row: verify_run(*run_and_row))

        def show(done: int, total: int) -> None:
            progress(f"verifying: {done} of {counted(total, 'run')}")

        yield from collect(spark, directory, "verify", tasks, show)
