"""The archive of Spark's classes: it is written once, by the first session without an error."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from analysis.spark.class_archive import class_archive, writes_archive
from analysis.spark.java import choose_java


def written(launcher: Path, content: bytes = b"classes") -> Path:
    """Write an archive as Java does; return its path."""
    with class_archive(launcher) as option:
        Path(option.removeprefix("-XX:ArchiveClassesAtExit=")).write_bytes(content)
    (archive,) = launcher.iterdir()
    return archive


def test_an_archive_is_written_and_then_loaded(tmp_path: Path) -> None:
    archive = written(tmp_path)
    assert archive.read_bytes() == b"classes"
    with class_archive(tmp_path) as option:
        assert option == f"-XX:SharedArchiveFile={archive}"
        assert not writes_archive(option)


def test_an_archive_of_a_failed_session_is_not_kept(tmp_path: Path) -> None:
    def fail(option: str) -> None:
        Path(option.removeprefix("-XX:ArchiveClassesAtExit=")).write_bytes(b"classes")
        raise OSError("the session failed")

    with pytest.raises(OSError, match="the session failed"), class_archive(tmp_path) as option:
        fail(option)
    assert [*tmp_path.iterdir()] == []


def test_a_java_that_writes_no_archive_leaves_nothing(tmp_path: Path) -> None:
    with class_archive(tmp_path) as option:
        assert writes_archive(option)
    assert [*tmp_path.iterdir()] == []


def test_one_of_several_sessions_writes_the_archive(tmp_path: Path) -> None:
    with class_archive(tmp_path) as first:
        with class_archive(tmp_path) as second:
            assert (writes_archive(first), second) == (True, "")
        assert Path(first.removeprefix("-XX:ArchiveClassesAtExit=")).parent.is_dir()


def test_an_archive_that_a_killed_process_left_incomplete_is_replaced(tmp_path: Path) -> None:
    with class_archive(tmp_path) as option:
        stage = Path(option.removeprefix("-XX:ArchiveClassesAtExit=")).parent
    stage.mkdir()
    (stage / "part").touch()
    os.utime(stage, (0, 0))
    assert written(tmp_path).read_bytes() == b"classes"


def test_archives_of_other_versions_of_spark_are_removed(tmp_path: Path) -> None:
    older = tmp_path / "spark-0123456789abcdef.jsa"
    older.touch()
    assert written(tmp_path) != older


def test_a_launcher_that_cannot_be_written_has_no_archive(tmp_path: Path) -> None:
    with class_archive(tmp_path / "missing") as option:
        assert option == ""


def test_a_path_with_spaces_has_no_archive(tmp_path: Path) -> None:
    launcher = tmp_path / "a launcher"
    launcher.mkdir()
    with class_archive(launcher) as option:
        assert option == ""


def test_the_launcher_of_a_removed_java_is_removed(tmp_path: Path) -> None:
    unused = tmp_path / "mobilesim" / "java-0123456789abcdef"
    unused.mkdir(parents=True)
    (unused / "target").symlink_to(tmp_path / "gone")
    home = choose_java({"XDG_CACHE_HOME": str(tmp_path)})
    assert [path.name for path in unused.parent.iterdir()] == [home.name]


SESSION = """
from analysis.spark import session as sessions
sessions._LOCAL_SETTINGS["spark.driver.extraJavaOptions"] += {option!r}
with sessions.session("local[1]") as spark:
    print(spark.range(3).count())
"""


@pytest.mark.slow
def test_spark_starts_with_the_classes_of_the_archive(tmp_path: Path) -> None:
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path), "JAVA_HOME": ""}
    # With the last option, Java does not start unless it can load the archive.
    for option in ("", " -Xshare:on"):
        program = SESSION.format(option=option)
        command = [sys.executable, "-c", program]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        assert (done.stdout, done.stderr) == ("3\n", "")
        assert len([*tmp_path.glob("mobilesim/java-*/spark-*.jsa")]) == 1
