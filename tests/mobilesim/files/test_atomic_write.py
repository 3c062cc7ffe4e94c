"""Files are written completely or not at all."""

from pathlib import Path

import pytest

from mobilesim.errors import UserError
from mobilesim.files.atomic_write import AtomicWrite, save_text, write_atomically


def test_the_target_appears_at_the_end_of_the_block(tmp_path: Path) -> None:
    target = tmp_path / "some.txt"
    with AtomicWrite(target) as path:
        path.write_text("new")
        assert not target.exists()
    assert [file.name for file in tmp_path.iterdir()] == ["some.txt"]
    assert target.read_text() == "new"


@pytest.mark.parametrize("error", (OSError, KeyboardInterrupt))
def test_an_error_leaves_only_the_old_file(tmp_path: Path, error: type[BaseException]) -> None:
    target = tmp_path / "some.txt"
    target.write_text("old")

    def stopped() -> None:
        with AtomicWrite(target) as path:
            path.write_text("half of it")
            raise error

    with pytest.raises(error):
        stopped()
    assert [file.name for file in tmp_path.iterdir()] == ["some.txt"]
    assert target.read_text() == "old"


def test_a_failed_replacement_leaves_no_partial_file(tmp_path: Path) -> None:
    (tmp_path / "some.txt").mkdir()
    with pytest.raises(OSError, match="directory"):
        write_atomically(tmp_path / "some.txt", b"new")
    assert [file.name for file in tmp_path.iterdir()] == ["some.txt"]


def test_a_failed_save_causes_one_error_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match=r"some\.txt: cannot be written: Not a directory$"):
        save_text(tmp_path / "file" / "some.txt", "new")
