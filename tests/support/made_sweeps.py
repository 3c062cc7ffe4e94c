"""Directories of small sweeps: real runs with their manifests."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from mobilesim.experiments.execute import execute
from mobilesim.experiments.run import Run, runs
from mobilesim.results.run_table import count_rows
from mobilesim.results.schema import TABLES
from mobilesim.scenario.loader import loads
from mobilesim.scenario.model import Scenario


def run_points(directory: Path, scenario: str, points: Iterable[Mapping[str, str]]) -> None:
    """Execute every run of a scenario at every point."""
    for point in points:
        run_point(directory, point, loads(scenario, overrides=point))


def run_point(directory: Path, point: Mapping[str, str], scenario: Scenario) -> None:
    for table in TABLES:
        (directory / table).mkdir(parents=True, exist_ok=True)
    for run in runs(scenario):
        placed = Run(run.scenario, run.choice, run.replication, json.dumps(dict(point)))
        outcome = execute(placed, directory)
        write_run(directory, placed.id, point, seed=run.scenario.seed, verdict=outcome.verdict)


def write_run(directory: Path, run_id: str, point: Mapping[str, str], **facts: Any) -> Path:  # noqa: ANN401 - any facts
    """Write the manifest of a run. The run is complete, unless `facts` change this."""
    path = directory / "runs" / f"{run_id}.parquet"
    names = ("protocol", "replication")
    row = pq.read_table(path, columns=[*names, "seed"]).to_pylist()[0] if path.exists() else {}
    if path.exists():
        row["rows"] = count_rows(directory, run_id)
    whole = {"run": run_id, "point": dict(point), "status": "complete", "error": None, "seconds": 0.1} | row | facts
    manifest = directory / "manifest" / f"{run_id}.json"
    manifest.parent.mkdir(exist_ok=True)
    manifest.write_text(json.dumps(whole))
    return manifest
