"""Atomic writes: a reader finds the new file, complete, or the old file."""

from contextlib import suppress
from pathlib import Path

from mobilesim.errors import UserError


class AtomicWrite:
    """Write to a hidden file beside `target`, and rename it when it is complete.

    As a context manager, it returns the path of the hidden file. The file is renamed at the end of the block, or
    removed after an exception.
    """

    def __init__(self, target: Path) -> None:
        self.target = target
        self.path = target.with_name(f".{target.name}.part")

    def discard(self) -> None:
        with suppress(OSError):
            self.path.unlink()

    def __enter__(self) -> Path:
        return self.path

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            self.discard()
            return
        try:
            self.path.replace(self.target)
        except OSError:
            self.discard()
            raise


def write_atomically(target: Path, content: bytes) -> None:
    with AtomicWrite(target) as path:
        path.write_bytes(content)


def save_text(target: Path, text: str) -> None:
    """Write UTF-8 text atomically; raise a UserError with the reason if the file cannot be written."""
    try:
        write_atomically(target, text.encode())
    except OSError as error:
        raise UserError(f"{target}: cannot be written: {error.strerror}") from None
