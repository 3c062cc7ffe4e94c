"""Sweeps under spark-submit, and the same sweeps without Spark."""

import os
import sys
from pathlib import Path
from typing import Final

import pyspark

from mobilesim.analysis.pipeline.summarize import summarize_sweep
from mobilesim.analysis.spark.java import choose_java
from mobilesim.analysis.summary.reduce_run import reduce_run
from mobilesim.api.progress import Progress
from mobilesim.experiments.executors import in_process, never
from mobilesim.experiments.sweep.engine import run_missing
from mobilesim.experiments.sweep.plan import make_plan
from mobilesim.results.sweeps.sweep_directory import open_sweep
from mobilesim.scenario.sweeps.sweep_file import loads
from tests.house.tree import ROOT
from tests.support.spark_cluster import file_of

SPARK: Final = Path(pyspark.__file__).resolve().parent
APPLICATION: Final = file_of("application.py")


def environment(**more: str) -> dict[str, str]:
    """Return the environment variables of a user's shell, in which the wheel is not installed."""
    java = str(choose_java({**os.environ, "JAVA_HOME": ""}))
    names = {
        "JAVA_HOME": java,
        "SPARK_HOME": str(SPARK),
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_IP": "127.0.0.1",
    }
    return {**os.environ, **names, "PYTHONPATH": str(ROOT), **more}


def run_here(sweep: str, directory: Path) -> None:
    """Run and summarize a sweep in this process, without Spark."""
    plan = make_plan(loads(sweep))
    with open_sweep(directory, plan.resolved_text, plan.all_runs()) as opened:
        run_missing(plan, opened, in_process, stop=never, display=Progress(quiet=True), reduce=reduce_run)
    summarize_sweep(directory, report=False)
