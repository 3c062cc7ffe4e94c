"""Start and stop a Spark session without log output. Its files are in a temporary directory."""

import logging
import os
import re
import socket
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from subprocess import TimeoutExpired
from tempfile import TemporaryDirectory
from typing import Any, Final, TypeAlias

import pyspark
from pyspark import SparkConf, SparkContext
from pyspark.java_gateway import launch_gateway
from pyspark.sql import SparkSession

from mobilesim.analysis.spark.class_archive import NO_ARCHIVE, ClassArchive
from mobilesim.analysis.spark.configuration import by_spark_submit, default_settings, refuse_spark_connect
from mobilesim.analysis.spark.deferred_interrupt import DeferInterrupt
from mobilesim.analysis.spark.java import choose_java, is_kept
from mobilesim.errors import UserError, parameter

Gateway: TypeAlias = Any
"""The connection of PySpark to its Java process; py4j has no types."""

_LOCAL: Final = re.compile(r"local(\[(\*|[1-9]\d*)(,\s*[1-9]\d*)?\])?")
_STANDALONE: Final = re.compile(r"spark://([^/:,]+:\d+)(,[^/:,]+:\d+)*")
_OTHER_MASTERS: Final = re.compile(r"yarn|k8s://.+|local-cluster\[.+\]")
_LOOPBACK: Final = re.compile(r"spark://(127(\.\d+){3}|localhost):\d+")
_MAX_SOCKET_DIRECTORY: Final = 60
"""The maximum path length of a socket directory in bytes: the path of a socket must be shorter than 100 bytes."""

_PYTHON_ERROR: Final = re.compile(r"[A-Za-z_][\w.]*(Error|Exception)\b")

_JOB_SETTINGS: Final = {
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
    # Adaptive execution merges small tasks. Each task runs Python code for a group of runs: fewer cores would be used.
    "spark.sql.adaptive.enabled": "false",
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
}
_SETTINGS: Final = {"spark.ui.enabled": "false", **_JOB_SETTINGS}
# Jobs are short: the C1 compiler alone and the serial garbage collector start fastest. IP addresses avoid name lookups.
_JAVA_OPTIONS: Final = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
_LOCAL_SETTINGS: Final = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.extraJavaOptions": _JAVA_OPTIONS,
    "spark.executor.extraJavaOptions": _JAVA_OPTIONS,
}


@contextmanager
def session(
    master: str | None = None,
    app: str = "mobilesim",
    memory: str | None = None,
    *,
    progress: Callable[[str], None] = lambda _: None,
) -> Iterator[SparkSession]:
    """Start a session for the block. If the process has a session already, use this session and keep it running.

    If spark-submit has started the process, its Java, master and configuration are used, and otherwise the settings in
    spark-defaults.conf, if there is one. `memory`: the limit for the Spark driver, such as `2g`.
    """
    refuse_spark_connect()
    active = SparkSession.getActiveSession()
    if active is not None:
        running = active.sparkContext.master
        if master not in {None, running}:
            raise UserError(
                f"{parameter('master', master)}: this process has a Spark session on {running} already; stop it first"
            )
        yield active
        return
    if by_spark_submit():
        with _submitted(master, app) as spark:
            yield spark
        return
    where = check_master(master)
    progress("starting Spark…")
    home = choose_java()
    # The size of the driver's memory is a part of an archive.
    archive = ClassArchive.of(home) if memory is None and _is_here(where) and is_kept(home) else NO_ARCHIVE
    complete = False
    with _quiet_py4j(), TemporaryDirectory(prefix="mobilesim-spark-", ignore_cleanup_errors=True) as scratch:
        settings = _settings(where, app, Path(scratch), memory, archive.option)
        spark, java = _start(settings, _variables(where, home), where, Path(scratch) / "spark.log")
        try:
            yield spark
            complete = True
        finally:
            if archive.is_new and complete:
                progress("saving Spark's classes, so that Spark starts faster from now on…")
            with DeferInterrupt():
                _end(spark, java, at_once=archive.is_new and not complete)
                archive.finish(complete=complete and not java.proc.returncode)


@contextmanager
def _submitted(master: str | None, app: str) -> Iterator[SparkSession]:
    """Start a session in the Java of spark-submit, which reads the configuration, and ends after this process."""
    gateway = launch_gateway()  # type: ignore[no-untyped-call]
    settings = SparkConf(_jvm=gateway.jvm)
    running = settings.get("spark.master", "local[*]")
    if master not in {None, running}:
        raise UserError(f"{parameter('master', master)}: spark-submit was given {running}; leave one of them out")
    for key, text in {**_JOB_SETTINGS, "spark.app.name": app, "spark.master": running}.items():
        settings.setIfMissing(key, text)
    here = {"PYSPARK_PYTHON": sys.executable} if is_local(running) else {}
    with _quiet_py4j(), _environment({name: os.environ.get(name, text) for name, text in here.items()}):
        with DeferInterrupt() as interrupts:
            context = SparkContext(conf=settings, gateway=gateway)
            interrupts.take()
        spark = SparkSession(context)
        try:
            yield spark
        finally:
            with DeferInterrupt(), suppress(Exception):  # Java may have ended
                spark.stop()


def one_line(error: BaseException) -> str:
    """Return an error as one line: the Python exception of a task, or the first line and the last cause."""
    text = str(getattr(error, "java_exception", None) or error)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines:
        return type(error).__name__
    raised = [line for line in lines if _PYTHON_ERROR.match(line)]
    if raised and "Traceback (most recent call last)" in text:
        return raised[-1]
    causes = [line for line in str(error).splitlines() if line.startswith("Caused by: ")]
    return f"{lines[0]} ({causes[-1]})" if causes else lines[0]


def is_gone(java: Gateway) -> bool:
    """Return whether the Java process has ended. Wait a moment: it ends shortly after its connections break."""
    if java.proc is None:  # spark-submit has started it
        try:
            return bool(java.jvm.System.nanoTime() is None)
        except Exception:  # noqa: BLE001 - py4j raises various errors after Java has ended
            return True
    with suppress(TimeoutExpired):
        java.proc.wait(1.0)
    return java.proc.poll() is not None


def is_local(master: str) -> bool:
    return bool(_LOCAL.fullmatch(master))


def _is_here(master: str) -> bool:
    return is_local(master) or bool(_LOOPBACK.fullmatch(master))


def answers(master: str) -> bool:
    """Return whether a standalone master accepts connections; true for other kinds of masters."""
    if not _STANDALONE.fullmatch(master):
        return True
    for address in master.removeprefix("spark://").split(","):
        host, port = address.rsplit(":", 1)
        with suppress(OSError, OverflowError):
            socket.create_connection((host, int(port)), timeout=5.0).close()
            return True
    return False


def check_master(given: str | None) -> str:
    """Return the master; raise for a wrong or unreachable one. Spark would retry for a minute, or print a traceback."""
    master = given or default_settings().get("spark.master", "local[*]")
    if not any(kind.fullmatch(master) for kind in (_LOCAL, _STANDALONE, _OTHER_MASTERS)):
        raise UserError(
            f"{parameter('master', master)}: not a Spark master; write local[2], spark://HOST:PORT, yarn or k8s://URL"
        )
    if not answers(master):
        raise UserError(f"{parameter('master', master)}: no answer; is the Spark master running?")
    return master


def _start(settings: SparkConf, variables: Mapping[str, str], master: str, log: Path) -> tuple[SparkSession, Gateway]:
    java = None
    try:
        with _environment(variables), DeferInterrupt() as interrupts, log.open("wb") as sink:
            java = launch_gateway(settings, {"stdout": sink, "stderr": sink})  # type: ignore[no-untyped-call]
            context = SparkContext(conf=settings, gateway=java)
            interrupts.take()  # SparkContext has installed a handler that calls Java in the middle of other calls
            # The accumulator server would print a stack trace when Java closes its connection.
            context._accumulatorServer.handle_error = lambda *_: None  # type: ignore[method-assign]  # noqa: SLF001
            return SparkSession(context), java
    except BaseException as error:
        cause = _cause(log, error)  # before Java is stopped, because Java has the text of its exceptions
        _stop_java(java)
        if not isinstance(error, Exception):
            raise
        raise UserError(f"Spark did not start on {master}: {cause}") from None


def _settings(master: str, app: str, scratch: Path, memory: str | None, archive: str = "") -> SparkConf:
    """`archive`: the Java option for the archive of Spark's classes, if there is one."""
    settings = dict(_SETTINGS)
    if memory is not None:
        settings["spark.driver.memory"] = memory
    if _is_here(master):
        settings |= _LOCAL_SETTINGS
        settings["spark.driver.extraJavaOptions"] += f" {archive}"
        settings |= {"spark.sql.warehouse.dir": str(scratch / "warehouse"), "spark.local.dir": str(scratch)}
    if _LOOPBACK.fullmatch(master):
        # The workers start Python themselves and must find the same packages.
        settings["spark.executorEnv.PYTHONPATH"] = _python_path()
    elif is_local(master) and len(os.fsencode(scratch)) <= _MAX_SOCKET_DIRECTORY:
        # Keep sockets in the temporary directory, because PySpark does not remove all of them.
        settings["spark.python.unix.domain.socket.enabled"] = "true"
        settings["spark.python.unix.domain.socket.dir"] = str(scratch)
    settings["spark.app.name"] = app
    kept = default_settings()
    ours = {key: text for key, text in settings.items() if key not in kept}
    return SparkConf(loadDefaults=False).setMaster(master).setAll([*ours.items()])


def _variables(master: str, java_home: Path) -> dict[str, str]:
    here = {"SPARK_LOCAL_IP": "127.0.0.1", "SPARK_LAUNCHER_OPTS": _JAVA_OPTIONS} if _is_here(master) else {}
    return here | {
        "JAVA_HOME": str(java_home),
        # With the jars of another Spark version, PySpark fails with obscure errors.
        "SPARK_HOME": str(Path(pyspark.__file__).resolve().parent),
        "PYTHONPATH": _python_path(),
        "PYSPARK_PYTHON": sys.executable if here else os.environ.get("PYSPARK_PYTHON", sys.executable),
    }


def _python_path() -> str:
    package = str(Path(__file__).absolute().parents[3])
    path = os.environ.get("PYTHONPATH")
    return package + os.pathsep + path if path else package


@contextmanager
def _environment(variables: Mapping[str, str]) -> Iterator[None]:
    """Set environment variables for the block only: child processes that start later must not inherit them."""
    before = {name: os.environ[name] for name in variables if name in os.environ}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name in variables:
            os.environ.pop(name, None)
        os.environ.update(before)


@contextmanager
def _quiet_py4j() -> Iterator[None]:
    """Suppress the log of py4j, which repeats exceptions that are raised anyway."""
    handler = logging.NullHandler()
    logging.getLogger().addHandler(handler)
    try:
        yield
    finally:
        logging.getLogger().removeHandler(handler)


def _cause(log: Path, error: BaseException) -> str:
    """Return the cause of a failed start, from the log of Java if PySpark only reports the end of Java."""
    if getattr(error, "getCondition", lambda: "")() != "JAVA_GATEWAY_EXITED":
        return one_line(error)
    lines = [line.strip() for line in log.read_text(errors="replace").splitlines()]
    errors = [line for line in lines if "rror" in line or "xception" in line] or [line for line in lines if line]
    return errors[0].removeprefix('Exception in thread "main" ') if errors else "Java ended at once, without output"


def _end(spark: SparkSession, java: Gateway, *, at_once: bool) -> None:
    """`at_once`: do not let Java write an archive."""
    server = getattr(spark.sparkContext, "_accumulatorServer", None)
    if server is not None:
        # The server polls once a second, and `stop` would wait for that.
        setattr(spark.sparkContext, "_accumulatorServer", None)  # noqa: B010 - its declared type excludes None
        threading.Thread(target=server.shutdown, daemon=True).start()
    try:
        spark.stop()
    except Exception:
        if not is_gone(java):
            raise
        SparkContext._active_spark_context = SparkSession._instantiatedSession = None  # noqa: SLF001 - as `stop` does
    finally:
        if at_once:
            java.proc.kill()
        _stop_java(java)


def _stop_java(java: Gateway) -> None:
    """End the Java process by closing its standard input, and let a later session start a new one."""
    SparkContext._gateway = SparkContext._jvm = None  # noqa: SLF001 - PySpark would reuse the ended process
    if java is None:
        return
    with suppress(Exception):  # Java may have ended already
        java.shutdown()
    java.proc.stdin.close()
    java.proc.wait()
