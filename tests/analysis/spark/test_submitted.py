"""mobilesim under spark-submit, with the user's Spark configuration, and with Spark Connect."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from mobilesim.analysis.spark.configuration import default_settings
from mobilesim.analysis.spark.session import session
from mobilesim.errors import UserError
from mobilesim.results.layout import SUMMARY
from mobilesim.results.schema import TABLES
from mobilesim.results.version import __version__
from tests.house.tree import ROOT
from tests.support.spark_cluster import PATIENCE, cluster, container_command, containers, file_of, manifests
from tests.support.submitted_sweeps import APPLICATION, SPARK, environment, run_here
from tests.support.wheels import build_wheel

SWEEP = """\
scenario: {hosts: 6, cells: 4, messages: 60}
vary: {hosts: [4, 6]}
protocols: [av1, unordered]
replications: 1
"""

ASK = """\
from mobilesim.analysis.spark.session import session
with session() as spark:
    context = spark.sparkContext
    print(context.master, context.uiWebUrl is not None, context.getConf().get("spark.my.key"))
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "s.yaml").write_text(SWEEP)
    (tmp_path / "application.py").write_text(APPLICATION)
    (tmp_path / "ask.py").write_text(ASK)
    (tmp_path / "events").mkdir()
    return tmp_path


def run(*words: str, folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words, cwd=folder, env=environment(**more), capture_output=True, text=True, timeout=2 * PATIENCE, check=False
    )


def submit(*words: str, folder: Path, **more: str) -> subprocess.CompletedProcess[str]:
    return run(str(SPARK / "bin" / "spark-submit"), *words, folder=folder, **more)


@pytest.fixture
def master(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A cluster of one worker without mobilesim. The worker has it only if it is shipped."""
    home = tmp_path_factory.mktemp("cluster")
    hidden = home / "mobilesim"
    hidden.mkdir()
    (hidden / "__init__.py").write_text("raise ImportError('mobilesim is not installed here')\n")
    monkeypatch.setenv("PYTHONPATH", str(home))
    with cluster(home) as started:
        started.add_workers(1)
        started.await_workers()
        monkeypatch.undo()
        yield started.url


@pytest.mark.full
def test_a_submitted_sweep_ships_the_wheel_and_keeps_the_configuration(
    folder: Path, master: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    wheel = build_wheel(tmp_path_factory.mktemp("wheel"), MOBILESIM_PURE="1")
    shutil.copy(wheel, folder / "mobilesim.zip")
    events = ("--conf", "spark.eventLog.enabled=true", "--conf", f"spark.eventLog.dir=file://{folder / 'events'}")
    shipped = ("--master", master, "--py-files", "mobilesim.zip", *events)
    done = submit(*shipped, "application.py", "sweep", "s.yaml", "--out", "many", "--no-report", folder=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "4 runs are complete" in done.stdout
    assert len([*(folder / "events").iterdir()]) == 1
    run_here(SWEEP, folder / "one")
    for table in {*TABLES, SUMMARY} - {"runs"}:
        for path in (folder / "one" / table).iterdir():
            assert (folder / "many" / table / path.name).read_bytes() == path.read_bytes()
    # The job of the Kubernetes manifest, on the same cluster.
    bin_folder = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    given = {"PATH": bin_folder, "MASTER": master, "SWEEP": "s.yaml", "OUT": str(folder / "many")}
    done = run("sh", "-c", container_command("sweep"), folder=folder, **given)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "4 of them from earlier commands" in done.stdout
    assert (folder / "many" / "report.html").is_file()


@pytest.mark.full
def test_a_master_other_than_that_of_spark_submit_is_refused(folder: Path) -> None:
    words = ("sweep", "s.yaml", "--out", "r", "--master", "local[2]")
    done = submit("--master", "local[1]", "application.py", *words, folder=folder)
    assert done.returncode == 2
    line = "mobilesim: --master local[2]: spark-submit was given local[1]; leave one of them out"
    assert [each for each in done.stdout.splitlines() if each.startswith("mobilesim")] == [line]


@pytest.mark.full
def test_the_settings_of_spark_defaults_are_used(folder: Path) -> None:
    lines = f"""\
# of the site
spark.master            local[1]
spark.my.key            a value
spark.ui.enabled=true
spark.ui.port: 0
spark.eventLog.enabled  true
spark.eventLog.dir      file://{folder / "events"}
"""
    (folder / "spark-defaults.conf").write_text(lines)
    for done in (
        run(sys.executable, "ask.py", folder=folder, SPARK_CONF_DIR=str(folder)),
        submit("ask.py", folder=folder, SPARK_CONF_DIR=str(folder)),
    ):
        assert done.stdout.splitlines() == ["local[1] True a value"], done.stderr
    assert len([*(folder / "events").iterdir()]) == 2


def test_spark_defaults_are_read_as_java_reads_properties(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert default_settings() == {}
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    assert default_settings() == {}
    (tmp_path / "spark-defaults.conf").write_text("! x\n\na.b  1 2\n c=3\nd : 4\n")
    assert default_settings() == {"a.b": "1 2", "c": "3", "d": "4"}
    (tmp_path / "spark-defaults.conf").write_bytes(b"\xff")
    with pytest.raises(UserError, match=r"spark-defaults\.conf: cannot be read"):
        default_settings()


def test_spark_connect_is_refused_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARK_REMOTE", "sc://localhost")
    line = r"SPARK_REMOTE is set: mobilesim needs a Spark driver, and not Spark Connect; unset it, use --master"
    with pytest.raises(UserError, match=line), session():
        pass


KEYS = {
    "Service": {"clusterIP", "publishNotReadyAddresses", "selector", "ports"},
    "Deployment": {"replicas", "selector", "template"},
    "Job": {"backoffLimit", "template"},
    "pod": {"containers", "enableServiceLinks", "restartPolicy"},
    "container": {"name", "image", "args", "env", "envFrom", "ports", "readinessProbe", "resources"},
}
"""The keys of Kubernetes that the manifests may have. A misspelt key would be refused by a cluster only."""


def test_the_manifests_of_kubernetes_have_known_keys_and_fit_together() -> None:
    found = manifests()
    assert [(each["apiVersion"], each["kind"]) for each in found] == [
        ("v1", "Service"),
        ("apps/v1", "Deployment"),
        ("apps/v1", "Deployment"),
        ("batch/v1", "Job"),
    ]
    for each in found:
        assert set(each) == {"apiVersion", "kind", "metadata", "spec"}
        assert set(each["spec"]) <= KEYS[each["kind"]]
        if each["kind"] == "Deployment":
            labels = each["spec"]["template"]["metadata"]["labels"]
            assert each["spec"]["selector"]["matchLabels"] == labels == {"app": each["metadata"]["name"]}
        if "template" in each["spec"]:
            assert set(each["spec"]["template"]["spec"]) <= KEYS["pod"]
    service, master = found[0], containers()["master"]
    assert service["spec"]["selector"] == {"app": found[1]["metadata"]["name"]}
    assert service["spec"]["ports"][0]["port"] == master["ports"][0]["containerPort"] == 7077
    for name, container in containers().items():
        assert set(container) <= KEYS["container"]
        names = {each["name"] for each in container["env"]} | {"SPARK_HOME"}
        assert set(re.findall(r"\$([A-Z_]+)", container_command(name))) <= names
        url = [each["value"] for each in container["env"] if each["name"] == "MASTER"]
        assert url in ([], [f"spark://{service['metadata']['name']}:7077"])


def test_the_image_runs_the_commands_of_the_manifests() -> None:
    lines = file_of("Dockerfile").splitlines()
    assert 'ENTRYPOINT ["sh", "-c"]' in lines
    assert any(line.startswith("ENV SPARK_HOME=") for line in lines)
    built = f"mobilesim:{__version__}"
    assert {container["image"] for container in containers().values()} == {built}
    assert f"docker build -t {built} -f Dockerfile ." in (ROOT / "docs" / "cluster.md").read_text(encoding="utf-8")
