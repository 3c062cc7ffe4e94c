"""Outputs are published as a whole or not at all."""

from contextlib import suppress
from pathlib import Path

import pyarrow as pa
import pytest

from mobilesim.analysis.summary.publish import staged_directory, write_tables, write_text
from mobilesim.errors import UserError


def names(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.iterdir())


def test_a_directory_gets_its_name_when_it_is_complete(tmp_path: Path) -> None:
    with staged_directory(tmp_path / "summary") as stage:
        (stage / "table").write_text("new")
        assert not (tmp_path / "summary").exists()
    assert names(tmp_path) == ["summary"]
    assert (tmp_path / "summary" / "table").read_text() == "new"


def test_a_new_directory_replaces_the_old_one_as_a_whole(tmp_path: Path) -> None:
    (tmp_path / "summary").mkdir()
    (tmp_path / "summary" / "stale").touch()
    with staged_directory(tmp_path / "summary") as stage:
        (stage / "fresh").touch()
    assert names(tmp_path / "summary") == ["fresh"]


@pytest.mark.parametrize("failure", (KeyboardInterrupt, UserError("no"), OSError(28, "No space left on device")))
def test_a_failure_keeps_the_old_directory_and_leaves_no_files(
    tmp_path: Path, failure: BaseException | type[BaseException]
) -> None:
    (tmp_path / "summary").mkdir()
    (tmp_path / "summary" / "old").touch()
    with suppress(KeyboardInterrupt, UserError, OSError), staged_directory(tmp_path / "summary") as stage:
        (stage / "half").touch()
        raise failure
    assert names(tmp_path) == ["summary"]
    assert names(tmp_path / "summary") == ["old"]


def test_an_interrupt_during_the_creation_leaves_no_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    create = Path.mkdir

    def create_and_interrupt(path: Path, mode: int) -> None:
        create(path, mode)
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "mkdir", create_and_interrupt)
    with pytest.raises(KeyboardInterrupt), staged_directory(tmp_path / "summary"):
        pytest.fail("the block was entered")
    assert names(tmp_path) == []


def test_a_directory_that_cannot_be_written_is_reported_first(tmp_path: Path) -> None:
    with pytest.raises(UserError) as caught, staged_directory(tmp_path / "gone" / "summary"):
        pytest.fail("the block was entered without a directory")
    wanted = "cannot be written (No such file or directory); no part of it was kept"
    assert str(caught.value) == f"{tmp_path}/gone/summary: {wanted}"


def test_a_text_replaces_the_old_file_as_a_whole(tmp_path: Path) -> None:
    (tmp_path / "report.html").write_text("old")
    write_text(tmp_path / "report.html", "new")
    assert (tmp_path / "report.html").read_text() == "new"
    assert names(tmp_path) == ["report.html"]


def full_disk() -> Path:
    """A device on which every write fails as on a full disk."""
    return Path("/dev/full")


def test_a_full_disk_is_reported_in_one_line(tmp_path: Path) -> None:
    (tmp_path / ".report.html.part").symlink_to(full_disk())
    with pytest.raises(UserError) as caught:
        write_text(tmp_path / "report.html", "x" * 100_000)
    wanted = "cannot be written (No space left on device); no part of it was kept"
    assert str(caught.value) == f"{tmp_path}/report.html: {wanted}"
    assert names(tmp_path) == []


def test_a_full_disk_during_a_table_is_reported_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "stage").mkdir()
    (tmp_path / "stage" / "numbers.parquet").symlink_to(full_disk())
    with pytest.raises(UserError) as caught:
        write_tables(tmp_path / "stage", {"numbers": pa.table({"n": [1, 2, 3]})})
    assert str(caught.value).startswith(f"{tmp_path}/summary: cannot be written (")
    assert "\n" not in str(caught.value)
