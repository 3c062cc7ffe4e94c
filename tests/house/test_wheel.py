"""The wheel works without the checkout. It is built without network, and uses the dependencies of this interpreter.

It is pure; `tests/compiled_core` tests the compiled one.
"""

import json
import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import zipfile
from pathlib import Path
from typing import Final

import pytest

import mobilesim
from tests.house.tree import ROOMS, ROOT
from tests.support.wheels import build_wheel, install_wheel

# Each command runs in an empty folder and must print this text.
COMMANDS: Final = (
    (("--version",), f"mobilesim {mobilesim.__version__} (pure Python)"),
    (("--help",), "usage: mobilesim"),
    (("validate", "quickstart"), "quickstart"),
    (("run",), "mobility/waypoint"),
    (("validate", "scenarios/quickstart.yaml"), "quickstart"),
    (("protocols",), "av1"),
    (("explore", "fifo", "--messages", "1"), "no fault"),
)


USERS_SCRIPT: Final = """\
import mobilesim as ms

from analysis import NAME

scenario: ms.Scenario = ms.load_scenario({"hosts": 4, "cells": 4, "messages": 20})
results: ms.RunResults = ms.run(scenario)
for protocol in results.summary.protocols:
    mean: float | None = protocol["delay"].mean
    print(NAME, protocol.name, results.verdicts[protocol.name])
rows: int = len(results.deliveries)
found: ms.ExplorationResult = ms.explore("av1", messages=1, moves=0)
states: int = found.states
"""


BUNDLE: Final = ROOT / "mobilesim" / "viewing" / "bundle"


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(tmp_path_factory.mktemp("wheel"), MOBILESIM_PURE="1")


@pytest.fixture(scope="module")
def site(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install_wheel(wheel, tmp_path_factory.mktemp("site"))


@pytest.fixture(scope="module")
def source_distribution(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """Return the paths in the source distribution, below its only folder."""
    folder = tmp_path_factory.mktemp("sdist")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "sdist", "--directory", str(folder)]
    subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    (built,) = folder.glob("*.tar.gz")
    with tarfile.open(built) as archive:
        return {name.partition("/")[2] for name in archive.getnames()}


def contents(wheel: Path) -> set[str]:
    with zipfile.ZipFile(wheel) as archive:
        return set(archive.namelist())


def called(site: Path, command: tuple[str, ...], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a command with the installed wheel. PYTHONPATH puts its packages before those of a checkout."""
    environment = {**os.environ, "PYTHONPATH": str(site)}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def users_python(site: Path, folder: Path) -> Path:
    """Return the Python of an environment in which the wheel is installed. Other packages are those of the tests."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    (installed,) = folder.glob("lib/python*/site-packages")
    (installed / "mobilesim").symlink_to(site / "mobilesim")
    (installed / "others.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    return folder / "bin" / "python"


@pytest.mark.full
def test_the_wheel_contains_one_package(wheel: Path) -> None:
    """A user's packages may be called `protocols` or `analysis`."""
    information = f"mobilesim-{mobilesim.__version__}.dist-info"
    assert {name.split("/")[0] for name in contents(wheel)} == {"mobilesim", information}


@pytest.mark.full
def test_every_module_and_figure_is_in_the_wheel(wheel: Path) -> None:
    files = (path for room in ROOMS for path in (ROOT / room).rglob("*.*"))
    paths = {path.relative_to(ROOT) for path in files if path.suffix in {".py", ".yaml"}}
    modules = {(path if path.parts[0] == "mobilesim" else "mobilesim" / path).as_posix() for path in paths}
    assert "mobilesim/experiments/paper_figures/figures/av.yaml" in modules
    assert modules - contents(wheel) == set()


def test_the_wheel_without_a_compiled_core_is_for_every_platform(wheel: Path) -> None:
    assert wheel.name.endswith("-py3-none-any.whl")


@pytest.mark.full
def test_the_source_distribution_contains_what_builds_the_wheel(source_distribution: set[str]) -> None:
    files = (path for room in (*ROOMS, "compiled_core", "scenarios") for path in (ROOT / room).rglob("*.*"))
    needed = {path.relative_to(ROOT).as_posix() for path in files if path.suffix in {".py", ".yaml"}}
    assert "compiled_core/build_hook.py" in needed
    assert needed | {"pyproject.toml", "README.md", "LICENSE", "constraints.txt"} <= source_distribution


@pytest.mark.full
def test_every_scenario_is_in_the_wheel(wheel: Path) -> None:
    scenarios = {f"mobilesim/{path.relative_to(ROOT).as_posix()}" for path in (ROOT / "scenarios").rglob("*.yaml")}
    assert "mobilesim/scenarios/quickstart.yaml" in scenarios
    assert scenarios - contents(wheel) == set()


def test_the_bundle_of_plotly_is_in_the_wheel_with_its_licence(wheel: Path) -> None:
    names = contents(wheel)
    assert "mobilesim/analysis/report/vendor/plotly-basic.min.js.gz" in names
    assert [name for name in names if "dist-info/licenses" in name and name.endswith("plotly-basic.LICENSE")]


@pytest.mark.full
def test_the_viewer_is_in_the_wheel_with_the_licence_of_its_library(wheel: Path, source_distribution: set[str]) -> None:
    names = contents(wheel)
    assert {f"mobilesim/viewing/bundle/viewer.{kind}" for kind in ("js", "css")} <= names
    assert [name for name in names if "dist-info/licenses" in name and name.endswith("preact.LICENSE")]
    assert "viewer/package-lock.json" in source_distribution
    assert not [name for name in source_distribution if "node_modules" in name]


def test_no_test_and_no_cache_is_in_the_wheel(wheel: Path) -> None:
    assert [name for name in contents(wheel) if re.search(r"(^|/)(tests?|__pycache__)(_|/)", name)] == []


def test_the_wheel_requires_pyspark_and_not_pandas(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        metadata = archive.read(f"mobilesim-{mobilesim.__version__}.dist-info/METADATA").decode()
    needed = [line for line in metadata.splitlines() if line.startswith("Requires-Dist: ") and "extra ==" not in line]
    assert "Requires-Dist: pyspark==4.3.*" in needed
    assert not [line for line in needed if "pandas" in line]


@pytest.mark.full
def test_a_typed_script_of_a_user_passes_a_strict_check(site: Path, tmp_path: Path) -> None:
    """Also in a folder with an `analysis` of its own."""
    (tmp_path / "analysis").mkdir()
    (tmp_path / "analysis" / "__init__.py").write_text("NAME: str = 'mine'\n")
    script = tmp_path / "script.py"
    script.write_text(USERS_SCRIPT, encoding="utf-8")
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--cache-dir", os.devnull]
    command += ["--python-executable", str(users_python(site, tmp_path / "venv")), "script.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")
    script.write_text(f"{USERS_SCRIPT}results.deliverys\n", encoding="utf-8")
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert '"RunResults" has no attribute "deliverys"' in done.stdout
    script.write_text(USERS_SCRIPT, encoding="utf-8")
    done = called(site, (sys.executable, "script.py"), tmp_path)
    assert (done.returncode, done.stdout) == (0, "mine av1 correct\n")


@pytest.mark.full
def test_the_command_runs_the_installed_wheel(site: Path, tmp_path: Path) -> None:
    done = called(site, (sys.executable, "-c", "import mobilesim; print(mobilesim.__file__)"), tmp_path)
    assert Path(done.stdout.strip()) == site / "mobilesim" / "__init__.py"


@pytest.mark.full
@pytest.mark.parametrize(("command", "output"), COMMANDS, ids=(" ".join(command) for command, _ in COMMANDS))
def test_a_command_works_from_an_empty_folder(
    command: tuple[str, ...], output: str, site: Path, tmp_path: Path
) -> None:
    """The next test starts mobilesim as a module."""
    done = called(site, (str(site / "bin" / "mobilesim"), *command), tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert output in done.stdout
    assert list(tmp_path.iterdir()) == []


@pytest.mark.full
def test_a_scenario_runs_from_an_empty_folder_and_is_summarised(site: Path, tmp_path: Path) -> None:
    command = (sys.executable, "-m", "mobilesim", "run", "quickstart", "--quick", "--replications", "1", "--json")
    done = called(site, command, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    document = json.loads(done.stdout)
    assert len(document["runs"]) == len(document["summary"]["protocols"]) == 4
    results = tmp_path / "results" / "quickstart-quick"
    assert (results / "report.html").exists()
    assert len(list((results / "deliveries").iterdir())) == 4
    view = (sys.executable, "-m", "mobilesim", "view", str(results), "--protocol", "av1", "--out", "page.html")
    done = called(site, view, tmp_path)
    assert (done.returncode, done.stdout) == (0, "page: page.html\n")
    assert (BUNDLE / "viewer.css").read_text(encoding="utf-8") in (tmp_path / "page.html").read_text(encoding="utf-8")
