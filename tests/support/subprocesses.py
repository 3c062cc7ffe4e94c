"""`mobilesim` in a subprocess, and checks of the files that it leaves."""

import os
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from functools import reduce
from pathlib import Path
from subprocess import PIPE
from typing import Final

import pyarrow.compute as pc
import pyarrow.parquet as pq

from mobilesim.results.quantities import DELAY_PARTS
from mobilesim.results.schema import TABLES
from tests.house.tree import ROOT

TIMEOUT: Final = 120
"""Timeout of a child process in seconds. If it expires, the test fails."""

NO_BYTECODE: Final = {"PYTHONDONTWRITEBYTECODE": "1"}
"""Environment of a process with a file limit. Python would keep compiled modules cut off at the limit, and each later
process would fail to import them.
"""

LONG: Final = (
    *("run", "quickstart", "--set", "duration=100000 s"),
    *("--replications", "1", "--no-summary", "--workers", "1"),
)
"""A long run in one process."""


def start(
    folder: Path, *arguments: str, file_limit: int | None = None, stdout: int = PIPE, stderr: int = PIPE
) -> "subprocess.Popen[str]":
    """Start a command in `folder`. `file_limit` limits the size of files, as if the disk were full."""

    def prepare() -> None:
        if file_limit is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (file_limit, file_limit))

    return subprocess.Popen(
        [sys.executable, "-m", "mobilesim", *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT), "NO_COLOR": "1"} | (NO_BYTECODE if file_limit is not None else {}),
        text=True,
        preexec_fn=prepare,  # noqa: PLW1509 - it takes no locks
        stdin=subprocess.DEVNULL,
        stdout=stdout,
        stderr=stderr,
    )


def finish(child: "subprocess.Popen[str]") -> tuple[int, str, str]:
    try:
        out, err = child.communicate(timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        child.kill()
        child.communicate()
        raise
    return child.returncode, out, err


def run_command(folder: Path, *arguments: str, file_limit: int | None = None) -> tuple[int, str, str]:
    """Run a command; return exit status, standard output and standard error."""
    return finish(start(folder, *arguments, file_limit=file_limit))


def wait_for(child: "subprocess.Popen[str]", there: Callable[[], object]) -> None:
    """Wait until `there` returns a result, or the child process has ended."""
    since = time.monotonic()
    while not there() and child.poll() is None:
        assert time.monotonic() - since < TIMEOUT
        time.sleep(0.005)


def interrupt(child: "subprocess.Popen[str]", moment: Callable[[], object]) -> str:
    """Send Ctrl-C at this moment. Check that the command ends as interrupted, and that its message says how to continue
    the runs in the results directory `r`. Return its standard output.
    """
    wait_for(child, moment)
    child.send_signal(signal.SIGINT)
    code, out, err = finish(child)
    assert code == 130
    hint = "finished runs are kept in r; the same command without --fresh continues with the other runs"
    assert err.splitlines()[-1] == f"mobilesim: interrupted; {hint}"
    assert "Traceback" not in err
    return out


def has_written(results: Path) -> Callable[[], bool]:
    """Return a function that tells whether a run has begun its tables."""
    return lambda: any(path.is_dir() for path in results.glob(".*.part"))


def verified_runs(results: Path) -> int:
    """Return the number of runs, after checking that each run has all tables, that all tables are readable, and that
    the parts of each delay add up to the delay.
    """
    names = [path.stem for path in (results / "runs").iterdir()]
    for table in TABLES:
        assert sorted(path.stem for path in (results / table).iterdir()) == sorted(names)
        for name in names:
            rows = pq.ParquetFile(results / table / f"{name}.parquet").read()
            assert table != "deliveries" or rows["delay"].equals(reduce(pc.add, [rows[part] for part in DELAY_PARTS]))
    return len(names)


def nothing_unfinished(results: Path) -> bool:
    return not [path for path in results.rglob(".*") if ".part" in path.name or path.name.startswith(".summary")]
