"""A Spark session has no log output, leaves no files, and reports errors in one line."""

import gc
import os
import socket
from pathlib import Path

import pytest
from pyspark import SparkContext
from pyspark.sql import SparkSession

from mobilesim.analysis.spark import session as sessions
from mobilesim.analysis.spark.session import session
from mobilesim.errors import UserError

pytestmark = pytest.mark.full


def complaint(master: str) -> str:
    with pytest.raises(UserError) as caught, session(master):
        pass
    return str(caught.value)


@pytest.fixture
def no_session(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide the Spark session of the test process. The commands under test fail before they start another session."""
    monkeypatch.setattr(SparkSession, "getActiveSession", classmethod(lambda _: None))


@pytest.mark.usefixtures("no_session")
@pytest.mark.parametrize(
    "master", ("local[", "local[x]", "local[0]", "spark://", "spark://host", "http://host:7077", "mesos")
)
def test_a_wrong_master_is_reported_with_examples(master: str) -> None:
    wanted = "not a Spark master; write local[2], spark://HOST:PORT, yarn or k8s://URL"
    assert complaint(master) == f"--master {master}: {wanted}"


@pytest.mark.usefixtures("no_session")
def test_a_master_without_an_answer_is_reported_at_once() -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        master = f"spark://127.0.0.1:{unused.getsockname()[1]}"
        assert complaint(master) == f"--master {master}: no answer; is the Spark master running?"


def test_a_running_session_is_used_and_kept_running(spark: SparkSession) -> None:
    with session() as running:
        assert running is spark
    assert spark.range(3).count() == 3


def test_a_master_other_than_that_of_the_running_session_is_an_error(spark: SparkSession) -> None:
    running = spark.sparkContext.master
    wanted = f"--master local[7]: this process has a Spark session on {running} already; stop it first"
    assert complaint("local[7]") == wanted


def test_the_environment_is_restored_after_the_start_of_spark(spark: SparkSession) -> None:
    assert spark.sparkContext.pythonExec
    assert not {"SPARK_HOME", "SPARK_LOCAL_IP", "SPARK_LAUNCHER_OPTS", "PYSPARK_PYTHON"} & os.environ.keys()


def test_spark_uses_the_loopback_and_a_temporary_directory(spark: SparkSession) -> None:
    settings = dict(spark.sparkContext.getConf().getAll())
    assert settings["spark.driver.host"] == settings["spark.driver.bindAddress"] == "127.0.0.1"
    assert settings["spark.ui.enabled"] == "false"
    here = {path.name for path in Path().iterdir()}
    assert not {"spark-warehouse", "metastore_db", "derby.log", "artifacts"} & here


@pytest.mark.usefixtures("no_session")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # PySpark leaves a pipe to Java open
def test_the_error_of_a_java_that_does_not_start_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    words = "Error: Could not create the Java Virtual Machine."
    java.write_text(
        f"#!/bin/sh\ncase $* in *-version) echo 'version \"21\"' >&2; exit 0;; esac\necho '{words}' >&2\nexit 1\n"
    )
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    gateway, jvm = SparkContext._gateway, SparkContext._jvm
    try:
        assert complaint("local[1]") == f"Spark did not start on local[1]: {words}"
    finally:
        SparkContext._gateway, SparkContext._jvm = gateway, jvm
        gc.collect()


def settings(tmp_path: Path, master: str, memory: str | None = None) -> dict[str, str]:
    return dict(sessions._settings(master, "a name", tmp_path, memory).getAll())


def test_the_memory_of_the_driver_can_be_set(tmp_path: Path) -> None:
    assert settings(tmp_path, "local[2]", "2g")["spark.driver.memory"] == "2g"
    assert "spark.driver.memory" not in settings(tmp_path, "local[2]")


@pytest.mark.parametrize("master", ("spark://127.0.0.1:7077", "spark://localhost:7077"))
def test_workers_of_a_cluster_on_the_loopback_find_the_same_packages(tmp_path: Path, master: str) -> None:
    used = settings(tmp_path, master)
    assert used["spark.driver.host"] == used["spark.driver.bindAddress"] == "127.0.0.1"
    assert used["spark.local.dir"] == str(tmp_path)
    root = Path(used["spark.executorEnv.PYTHONPATH"].split(os.pathsep)[0])
    assert (root / "analysis" / "spark" / "session.py").exists()


@pytest.mark.parametrize("master", ("spark://elsewhere:7077", "spark://127.0.0.1:1,elsewhere:2", "yarn"))
def test_a_remote_cluster_keeps_its_settings(tmp_path: Path, master: str) -> None:
    ours = {"spark.driver.host", "spark.local.dir", "spark.executorEnv.PYTHONPATH"}
    assert not ours & settings(tmp_path, master).keys()
