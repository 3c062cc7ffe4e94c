"""A standalone cluster of the installed PySpark on the loopback interface: a master and workers, one process each, with
the commands in docs/cluster.md.
"""

import os
import re
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

import pyspark
import yaml

from mobilesim.analysis.spark.java import choose_java
from tests.house.snippets import blocks
from tests.house.tree import ROOT

PATIENCE: Final = 60.0
"""Timeout in seconds. If it expires, the test fails."""

_SPARK: Final = Path(pyspark.__file__).resolve().parent
_MASTER: Final = re.compile(r"Starting Spark master at (spark://\S+)")
_REGISTERED: Final = "Registering worker"
_QUICK: Final = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"

Process = subprocess.Popen[bytes]


def manifests() -> list[dict[str, Any]]:
    """Return the Kubernetes manifests in docs/cluster.md."""
    return list(yaml.safe_load_all(file_of("mobilesim.yaml")))


def file_of(name: str) -> str:
    """Return a file in docs/cluster.md."""
    text = (ROOT / "docs" / "cluster.md").read_text(encoding="utf-8")
    return next(block.text for block in blocks("cluster.md", text) if block.file == name)


def containers() -> dict[str, dict[str, Any]]:
    """Return the containers of the manifests by name."""
    pods = [each["spec"]["template"]["spec"] for each in manifests() if "template" in each["spec"]]
    return {container["name"]: container for pod in pods for container in pod["containers"]}


def container_command(name: str) -> str:
    (command,) = containers()[name]["args"]
    return str(command)


class Cluster:
    """A cluster. Its files and those of its workers are in `home`. Its creator must call `close`."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self.master = self._start("master", HOST="127.0.0.1", PORT="0", SPARK_MASTER_WEBUI_PORT="0")
        self.workers: list[Process] = []
        until(lambda: _MASTER.search(self._log("master")), self.master)
        self.url = _MASTER.findall(self._log("master"))[0]

    def add_workers(self, count: int) -> None:
        """Start workers of one core each."""
        for number in range(len(self.workers), len(self.workers) + count):
            spark = {"SPARK_WORKER_WEBUI_PORT": "0", "SPARK_WORKER_DIR": str(self._home / f"work-{number}")}
            given = {"HOST": "127.0.0.1", "CORES": "1", "MEMORY": "1g", "MASTER": self.url}
            self.workers.append(self._start(f"worker-{number}", **given, **spark))

    def await_workers(self) -> None:
        until(lambda: self._log("master").count(_REGISTERED) == len(self.workers), self.master, *self.workers)

    def close(self) -> None:
        processes = [*self.workers, self.master]
        below = [pid for process in processes for pid in descendants(process.pid)]
        for process in processes:
            process.kill()
        for process in processes:
            process.wait(PATIENCE)
        kill(*below)

    def _start(self, name: str, **variables: str) -> Process:
        command, environment = container_command(name.partition("-")[0]), {**self._environment, **variables}
        with (self._home / f"{name}.log").open("wb") as log:
            return subprocess.Popen(
                ["sh", "-c", command], cwd=self._home, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log
            )

    @property
    def _environment(self) -> dict[str, str]:
        """Return the environment variables that define Java and the directories of the workers' executors."""
        java = str(choose_java({**os.environ, "JAVA_HOME": ""}))
        places = {"SPARK_HOME": str(_SPARK), "SPARK_LOCAL_DIRS": str(self._home), "SPARK_LOCAL_IP": "127.0.0.1"}
        quick = {"SPARK_DAEMON_MEMORY": "256m", "SPARK_LAUNCHER_OPTS": _QUICK}
        options = {"SPARK_DAEMON_JAVA_OPTS": f"{_QUICK} -Dspark.master.rest.enabled=false"}
        return {**os.environ, "JAVA_HOME": java, **places, **quick, **options}

    def _log(self, name: str) -> str:
        return (self._home / f"{name}.log").read_text(errors="replace")


@contextmanager
def cluster(home: Path) -> Iterator[Cluster]:
    made = Cluster(home)
    try:
        yield made
    finally:
        made.close()


def until(there: Callable[[], object], *processes: "subprocess.Popen[bytes] | subprocess.Popen[str]") -> None:
    """Wait until `there` returns a result. Fail if one of the processes ends before."""
    since = time.monotonic()
    while not there():
        assert time.monotonic() - since < PATIENCE
        assert all(process.poll() is None for process in processes)
        time.sleep(0.01)


def descendants(pid: int) -> list[int]:
    """Return the descendants of a process, children first, or no process if the process has ended."""
    table = subprocess.run(["ps", "-A", "-o", "pid=,ppid="], capture_output=True, text=True, check=True).stdout
    parents = [(int(child), int(parent)) for child, parent in map(str.split, table.splitlines())]
    found = [pid]
    for above in found:
        found += [child for child, parent in parents if parent == above]
    return found[1:]


def kill(*pids: int) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
