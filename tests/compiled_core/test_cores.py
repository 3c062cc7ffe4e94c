"""The wheel with the compiled core, and a comparison of what both cores compute."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest

from compiled_core.build_hook import can_compile
from compiled_core.modules import compiled_modules
from tests.house.tree import ROOT
from tests.support.wheels import build_wheel, install_wheel

pytestmark = [
    pytest.mark.full,
    pytest.mark.skipif(not can_compile(), reason="there is no C compiler, or there are no header files of Python"),
]

PIP: Final = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of an installed wheel with the compiled core: that of `make compiled`, if it is up to date."""
    if built := os.environ.get("MOBILESIM_COMPILED"):
        return ROOT / built
    # The results do not depend on the optimization, which takes three quarters of the time of a build.
    wheel = build_wheel(tmp_path_factory.mktemp("wheel"), MOBILESIM_OPTIMIZATION="0")
    return install_wheel(wheel, tmp_path_factory.mktemp("site"))


@pytest.fixture(scope="module")
def compared(site: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the outputs of pure Python, and those of the compiled core."""
    first = outputs_of(ROOT, tmp_path_factory.mktemp("pure"))
    return first, outputs_of(site, tmp_path_factory.mktemp("compiled"))


def outputs_of(core: Path, folder: Path) -> dict[str, Any]:
    # Without safe paths, Python would find the working tree before the compiled core.
    environment = {**os.environ, "PYTHONPATH": f"{core}{os.pathsep}{ROOT}", "PYTHONSAFEPATH": "1"}
    command = (sys.executable, "-m", "tests.support.core_outputs", str(folder))
    done = subprocess.run(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_the_wheel_has_every_compiled_module_beside_its_source(site: Path) -> None:
    libraries = {path.relative_to(site).as_posix() for path in site.rglob("*.so")}
    (shared,) = (name for name in libraries if "/" not in name)
    assert shared.startswith("mobilesim_core__mypyc.")
    compiled = {f"{name.partition('.')[0]}.py" for name in libraries - {shared}}
    assert compiled == set(compiled_modules(ROOT))
    assert all((site / name).exists() for name in compiled)
    (about,) = site.glob("mobilesim-*.dist-info/WHEEL")
    assert "Root-Is-Purelib: false" in about.read_text()


def test_the_wheel_requires_the_library_that_its_compiled_modules_import(site: Path) -> None:
    (about,) = site.glob("mobilesim-*.dist-info/METADATA")
    assert "\nRequires-Dist: librt>=" in about.read_text()


def test_each_core_is_the_one_that_was_meant(compared: tuple[dict[str, Any], dict[str, Any]]) -> None:
    assert [outputs["core"] for outputs in compared] == ["pure Python", "compiled core"]


def test_both_cores_write_the_same_tables(compared: tuple[dict[str, Any], dict[str, Any]]) -> None:
    pure, compiled = (outputs["tables"] for outputs in compared)
    assert "quickstart" in pure
    assert pure.keys() == compiled.keys()
    assert [name for name in pure if pure[name] != compiled[name]] == []


def test_both_cores_find_the_same_states_and_schedules(compared: tuple[dict[str, Any], dict[str, Any]]) -> None:
    pure, compiled = (outputs["explorations"] for outputs in compared)
    assert {search[0] for searches in pure.values() for search in searches} == {"exhausted", "fault"}
    assert pure == compiled


def test_both_cores_describe_failures_in_the_same_words(compared: tuple[dict[str, Any], dict[str, Any]]) -> None:
    pure, compiled = (outputs["failures"] for outputs in compared)
    assert pure == compiled
    assert pure["broken"] == "the third delivery cannot happen"
    assert pure["forgetful"].startswith("KeyError: ")
    assert pure["forgetful"].endswith(", in deliver)")


def test_a_failed_compilation_is_reported_with_its_output(tmp_path: Path) -> None:
    # One module in a copy of the project: a compiler that does not run fails with one module as with all.
    project = tmp_path / "project"
    for folder in ("mobilesim", "compiled_core"):
        shutil.copytree(ROOT / folder, project / folder, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copyfile(ROOT / name, project / name)
    modules = project / "compiled_core" / "modules.py"
    modules.write_text(modules.read_text() + 'COMPILED = ("mobilesim/protocols/packed_vectors.py",)\n')
    wheels = tmp_path / "wheels"
    options = ("--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", str(wheels))
    environment = {**os.environ, "CC": "false"}
    done = subprocess.run(
        [*PIP, "wheel", *options, str(project)], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    assert "the core could not be compiled" in done.stdout + done.stderr
    assert "Command '['false'" in done.stdout + done.stderr
    assert not wheels.exists() or list(wheels.iterdir()) == []
