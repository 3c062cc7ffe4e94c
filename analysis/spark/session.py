"""One quiet Spark session per command, with everything it leaves behind in a scratch directory of its own."""

import logging
import os
import re
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from subprocess import TimeoutExpired
from tempfile import TemporaryDirectory
from typing import Any, Final, TypeAlias

import pyspark
from pyspark import SparkConf, SparkContext
from pyspark.java_gateway import launch_gateway
from pyspark.sql import SparkSession

from analysis.spark.deferred_interrupt import DeferInterrupt
from analysis.spark.java import choose_java
from mobilesim.errors import UserError

Gateway: TypeAlias = Any
"""PySpark's connection to its Java process; py4j has no types."""

_LOCAL: Final = re.compile(r"local(\[(\*|[1-9]\d*)(,\s*[1-9]\d*)?\])?")
_STANDALONE: Final = re.compile(r"spark://([^/:,]+:\d+)(,[^/:,]+:\d+)*")
_ELSEWHERE: Final = re.compile(r"yarn|k8s://.+|local-cluster\[.+\]")
_LOOPBACK: Final = re.compile(r"spark://(127(\.\d+){3}|localhost):\d+")
_PATIENCE: Final = 5.0
_MOMENT: Final = 1.0
_LONGEST: Final = 60
"""Of a directory for sockets: with PySpark's own names, a path of theirs must stay below a hundred bytes."""

_IN_PYTHON: Final = "Traceback (most recent call last)"
_IN_JAVA: Final = 'Exception in thread "main" '
_CAUSE: Final = "Caused by: "
_RAISED: Final = re.compile(r"[A-Za-z_][\w.]*(Error|Exception)\b")

_ALWAYS: Final = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
    # The work is done in Python, one task per group of runs: merging tasks would only take cores away from it.
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}
# Short jobs: the first compiler alone and the plainest collector start quickest. No name of this machine is looked up.
_JAVA_OPTIONS: Final = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
_LOCALLY: Final = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.extraJavaOptions": _JAVA_OPTIONS,
    "spark.executor.extraJavaOptions": _JAVA_OPTIONS,
}


_launch: Callable[..., Gateway] = launch_gateway


@contextmanager
def session(
    master: str | None = None,
    app: str = "mobilesim",
    notice: Callable[[str], None] | None = None,
    memory: str | None = None,
    *,
    progress: Callable[[str], None] = lambda _: None,
) -> Iterator[SparkSession]:
    """A session that ends with the block. Where the process has one already, it is lent and left running.

    `memory`: what Spark's driver may take, as `2g`.
    """
    active = SparkSession.getActiveSession()
    if active is not None:
        yield _lent(active, master)
        return
    where = master or "local[*]"
    _check(where)
    progress("starting Spark…")
    with _hushed(), TemporaryDirectory(prefix="mobilesim-spark-", ignore_cleanup_errors=True) as scratch:
        spark, java = _start(where, app, Path(scratch), notice, memory)
        try:
            yield spark
        finally:
            with DeferInterrupt():
                _end(spark, java)


def one_line(error: BaseException) -> str:
    """The head of an error that may carry a Java stack trace; of one that a task raised in Python, the tail."""
    text = str(getattr(error, "java_exception", None) or error)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines:
        return type(error).__name__
    raised = [line for line in lines if _RAISED.match(line)]
    if raised and _IN_PYTHON in text:
        return raised[-1]
    causes = [line for line in str(error).splitlines() if line.startswith(_CAUSE)]
    return f"{lines[0]} ({causes[-1]})" if causes else lines[0]


def is_gone(java: Gateway) -> bool:
    """Its connections break a moment before it has ended."""
    with suppress(TimeoutExpired):
        java.proc.wait(_MOMENT)
    return java.proc.poll() is not None


def _lent(active: SparkSession, master: str | None) -> SparkSession:
    running = active.sparkContext.master
    if master not in {None, running}:
        raise UserError(f"--master {master}: this process has a Spark session on {running} already; stop it first")
    return active


def is_local(master: str) -> bool:
    return bool(_LOCAL.fullmatch(master))


def answers(master: str) -> bool:
    """Whether anybody listens there, as far as an address tells where that is."""
    if not _STANDALONE.fullmatch(master):
        return True
    return any(_listens(address) for address in master.removeprefix("spark://").split(","))


def _check(master: str) -> None:
    """What Spark would find out only after a minute of retries, or say in a stack trace."""
    if not any(kind.fullmatch(master) for kind in (_LOCAL, _STANDALONE, _ELSEWHERE)):
        raise UserError(f"--master {master}: not a Spark master; write local[2], spark://HOST:PORT, yarn or k8s://URL")
    if not answers(master):
        raise UserError(f"--master {master}: nothing answers there; is the Spark master running?")


def _listens(address: str) -> bool:
    host, port = address.rsplit(":", 1)
    try:
        socket.create_connection((host, int(port)), timeout=_PATIENCE).close()
    except (OSError, OverflowError):
        return False
    return True


def _start(
    master: str, app: str, scratch: Path, notice: Callable[[str], None] | None, memory: str | None
) -> tuple[SparkSession, Gateway]:
    log = scratch / "spark.log"
    java = None
    try:
        with (
            _environment(_variables(master, choose_java(notice=notice))),
            DeferInterrupt() as interrupts,
            log.open("wb") as sink,
        ):
            settings = _settings(master, app, scratch, memory)
            java = _launch(settings, {"stdout": sink, "stderr": sink})
            context = SparkContext(conf=settings, gateway=java)
            interrupts.take()  # PySpark has just taken them: its handler calls Java from wherever it strikes
            _hush_server(context)
            return SparkSession(context), java
    except UserError:
        raise
    except Exception as error:  # noqa: BLE001 - PySpark, py4j and Java each fail in their own kinds
        cause = _cause(log, error)  # while Java is there to ask
        _dismiss(java)
        raise UserError(f"Spark did not start on {master}: {cause}") from None
    except BaseException:
        _dismiss(java)
        raise


def _settings(master: str, app: str, scratch: Path, memory: str | None) -> SparkConf:
    settings = SparkConf(loadDefaults=False).setMaster(master).setAppName(app).setAll([*_ALWAYS.items()])
    if memory is not None:
        settings.set("spark.driver.memory", memory)
    if is_local(master):
        settings.setAll([*(_LOCALLY | _places(scratch) | _sockets(scratch)).items()])
    elif _LOOPBACK.fullmatch(master):
        # Its workers start Python by themselves, and find there what this process finds.
        settings.setAll([*(_LOCALLY | _places(scratch) | {"spark.executorEnv.PYTHONPATH": _python_path()}).items()])
    return settings


def _places(scratch: Path) -> dict[str, str]:
    return {"spark.sql.warehouse.dir": str(scratch / "warehouse"), "spark.local.dir": str(scratch)}


def _sockets(scratch: Path) -> dict[str, str]:
    """Nothing is left behind elsewhere: PySpark forgets some of its sockets wherever they are."""
    if len(os.fsencode(scratch)) > _LONGEST:
        return {}
    return {"spark.python.unix.domain.socket.enabled": "true", "spark.python.unix.domain.socket.dir": str(scratch)}


def _variables(master: str, java_home: Path) -> dict[str, str]:
    variables = {
        "JAVA_HOME": str(java_home),
        # Another Spark's jars under this PySpark fail in ways that nobody can read.
        "SPARK_HOME": str(Path(pyspark.__file__).resolve().parent),
        "PYTHONPATH": _python_path(),
    }
    if is_local(master) or _LOOPBACK.fullmatch(master):
        here = {"SPARK_LOCAL_IP": "127.0.0.1", "SPARK_LAUNCHER_OPTS": _JAVA_OPTIONS}
        return variables | here | {"PYSPARK_PYTHON": sys.executable}
    return variables | {"PYSPARK_PYTHON": os.environ.get("PYSPARK_PYTHON", sys.executable)}


def _python_path() -> str:
    package = str(Path(__file__).resolve().parents[2])
    path = os.environ.get("PYTHONPATH")
    return package + os.pathsep + path if path else package


@contextmanager
def _environment(variables: dict[str, str]) -> Iterator[None]:
    """Only while Spark starts: it reads them then, and the process has other children too."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


@contextmanager
def _hushed() -> Iterator[None]:
    """What interrupts a call to Java is raised, and needs no log beside: py4j logs where nobody has set up a log."""
    nowhere = logging.NullHandler()
    logging.getLogger().addHandler(nowhere)
    try:
        yield
    finally:
        logging.getLogger().removeHandler(nowhere)


def _cause(log: Path, error: BaseException) -> str:
    """Java's last words where PySpark has only heard that it is gone."""
    if getattr(error, "getCondition", lambda: "")() != "JAVA_GATEWAY_EXITED":
        return one_line(error)
    lines = [line.strip() for line in log.read_text(errors="replace").splitlines()]
    telling = [line for line in lines if "rror" in line or "xception" in line] or [line for line in lines if line]
    return telling[0].removeprefix(_IN_JAVA) if telling else "Java ended at once and said nothing"


def _hush_server(context: SparkContext) -> None:
    """It goes when Java hangs up, which it would tell with a stack trace."""
    server = getattr(context, "_accumulatorServer", None)
    if server is not None:
        server.handle_error = lambda *_: None


def _end(spark: SparkSession, java: Gateway) -> None:
    server = getattr(spark.sparkContext, "_accumulatorServer", None)
    if server is not None:
        # It polls once a second, and `stop` would wait for that.
        setattr(spark.sparkContext, "_accumulatorServer", None)  # noqa: B010 - typed as if it could not be
        threading.Thread(target=server.shutdown, daemon=True).start()
    try:
        spark.stop()
    except Exception:
        if not is_gone(java):
            raise
        SparkContext._active_spark_context = SparkSession._instantiatedSession = None  # noqa: SLF001 - as `stop` does
    finally:
        _dismiss(java)


def _dismiss(java: Gateway) -> None:
    """End the Java process, which leaves when its standard input closes, and let a later session start another."""
    SparkContext._gateway = SparkContext._jvm = None  # noqa: SLF001 - PySpark would keep a dead one
    if java is None:
        return
    with suppress(Exception):  # it may be dead already, which each of its libraries tells in its own way
        java.shutdown()
    java.proc.stdin.close()
    java.proc.wait()
