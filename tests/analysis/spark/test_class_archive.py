"""The archive of Spark's classes: the first session without an error writes it, and later sessions load it."""

import os
import subprocess
import sys
from pathlib import Path

import pyspark
import pytest

from mobilesim.analysis.spark import class_archive
from mobilesim.analysis.spark.class_archive import NO_ARCHIVE, ClassArchive
from mobilesim.analysis.spark.java import choose_java, is_kept


def place(archive: ClassArchive) -> Path:
    """Return the path at which Java writes a new archive."""
    assert archive.is_new
    return Path(archive.option.removeprefix("-XX:ArchiveClassesAtExit="))


def write(launcher: Path) -> Path:
    """Write an archive as a session does; return its path."""
    archive = ClassArchive.of(launcher, {})
    place(archive).write_bytes(b"classes")
    archive.finish(complete=True)
    loaded = ClassArchive.of(launcher, {})
    assert not loaded.is_new
    return Path(loaded.option.removeprefix("-XX:SharedArchiveFile="))


def test_an_archive_is_written_and_then_loaded(tmp_path: Path) -> None:
    assert write(tmp_path).read_bytes() == b"classes"
    assert len([*tmp_path.iterdir()]) == 1


def test_an_archive_of_a_failed_session_is_not_kept(tmp_path: Path) -> None:
    archive = ClassArchive.of(tmp_path, {})
    place(archive).write_bytes(b"cla")
    archive.finish(complete=False)
    assert [*tmp_path.iterdir()] == []
    assert ClassArchive.of(tmp_path, {}).is_new


def test_a_java_that_cannot_write_an_archive_is_asked_once(tmp_path: Path) -> None:
    ClassArchive.of(tmp_path, {}).finish(complete=True)
    assert ClassArchive.of(tmp_path, {}).option == ""


def test_sessions_at_the_same_time_write_different_files(tmp_path: Path) -> None:
    archive = ClassArchive.of(tmp_path, {})
    program = "import sys; from analysis.spark.class_archive import ClassArchive; from pathlib import Path\n"
    program += "print(ClassArchive.of(Path(sys.argv[1]), {}).option)"
    other = subprocess.run([sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=True)
    assert other.stdout.startswith("-XX:ArchiveClassesAtExit=")
    assert other.stdout.strip() != archive.option


def test_an_archive_of_other_jar_files_is_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    older = write(tmp_path)
    monkeypatch.setattr(class_archive, "_time_of_jars", lambda: "later")
    assert write(tmp_path) != older
    assert not older.exists()


def test_an_archive_of_another_installation_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = write(tmp_path)
    monkeypatch.setattr(pyspark, "__file__", str(tmp_path / "pyspark" / "__init__.py"))
    assert write(tmp_path) != other
    assert other.exists()


def test_old_incomplete_archives_are_removed(tmp_path: Path) -> None:
    abandoned, running = (place(ClassArchive.of(tmp_path, {})).with_suffix(f".{name}.new") for name in ("a", "b"))
    for path in (abandoned, running):
        path.touch()
    os.utime(abandoned, (0, 0))
    write(tmp_path)
    assert (abandoned.exists(), running.exists()) == (False, True)


def test_a_launcher_that_cannot_be_written_causes_no_error(tmp_path: Path) -> None:
    ClassArchive.of(tmp_path / "missing", {}).finish(complete=True)


@pytest.mark.parametrize("name", ("a launcher", "o'brien", 'a"b', "a\\b"))
def test_a_path_that_spark_would_change_has_no_archive(tmp_path: Path, name: str) -> None:
    assert ClassArchive.of(tmp_path / name, {}).option == ""


def test_other_class_paths_have_no_archive(tmp_path: Path) -> None:
    assert ClassArchive.of(tmp_path, {"HADOOP_CONF_DIR": "/etc/hadoop"}).option == ""


def test_no_archive_has_no_option() -> None:
    NO_ARCHIVE.finish(complete=True)
    assert (NO_ARCHIVE.option, NO_ARCHIVE.is_new) == ("", False)


@pytest.mark.full
def test_only_a_launcher_in_the_cache_is_kept(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.touch()
    assert is_kept(choose_java({"XDG_CACHE_HOME": str(tmp_path)}))
    assert not is_kept(choose_java({"XDG_CACHE_HOME": str(blocked), "HOME": str(tmp_path)}))
    assert not is_kept(tmp_path)


SESSION = """
from mobilesim.analysis.spark import session as sessions
sessions._LOCAL_SETTINGS["spark.driver.extraJavaOptions"] += {option!r}
with sessions.session("local[1]") as spark:
    print(spark.range(3).count())
    {then}
"""


@pytest.mark.slow
def test_spark_starts_with_the_classes_of_the_archive(tmp_path: Path) -> None:
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path), "JAVA_HOME": ""}
    # A session that fails writes nothing. With the last option, Java does not start unless it can load the archive.
    for option, then, archives in (("", "raise SystemExit(3)", 0), ("", "", 1), (" -Xshare:on", "", 1)):
        command = [sys.executable, "-c", SESSION.format(option=option, then=then)]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (3 if then else 0, "3\n", "")
        assert len([*tmp_path.glob("mobilesim/java-*/spark-*")]) == archives
