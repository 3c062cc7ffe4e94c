"""A track file: its bytes (uncompressed), its lines with their numbers, and the progress of reading."""

import gzip
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Final, TypeAlias, TypeVar, cast

from mobilesim.errors import UserError
from mobilesim.files.input_files import opened
from mobilesim.tracks.number_parsing import Unreadable
from mobilesim.tracks.position import Position

T = TypeVar("T")
Parser: TypeAlias = Callable[[T], Iterable[Position]]

_CHUNK: Final = 1 << 16
# The longest line in bytes. Formats with longer lines are not read line by line.
_LONGEST: Final = 1 << 20


class Source:
    """A file that may be read several times, by one reader at a time. `notes`: messages about data left out."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.notes: list[str] = []
        self.passes = 1
        self._begun = 0
        self._raw: IO[bytes] | None = None
        try:
            self.size = path.stat().st_size
        except OSError as error:
            raise UserError(f"{path}: cannot be read: {error.strerror}") from None
        except ValueError:
            raise UserError("a file name cannot contain a NUL character") from None
        if not path.is_file():
            raise UserError(f"{path}: this is not a regular file; it is read twice, so save it as a file")

    def fault(self, line: int, what: str) -> UserError:
        return UserError(f"{self.path}:{line}: {what}")

    def parsed(self, lines: Iterable[tuple[int, T]], read_header: Callable[[T], Parser[T]]) -> Iterator[Position]:
        """Yield the positions of numbered lines. `read_header` returns the parser of the lines after the first line."""
        parse: Parser[T] | None = None
        for number, line in lines:
            try:
                if parse is None:
                    parse = read_header(line)
                else:
                    yield from parse(line)
            except Unreadable as fault:
                raise self.fault(number, str(fault)) from None

    @property
    def done(self) -> float:
        """Return which share of all `passes` through the file is done."""
        now = 1.0 if self._raw is None or self._raw.closed else min(self._raw.tell() / max(self.size, 1), 1.0)
        return min((self._begun - 1 + now) / self.passes, 1.0) if self._begun else 0.0

    def restart(self, passes: int) -> None:
        self.notes.clear()
        self.passes, self._begun = passes, 0

    def close(self) -> None:
        """Close the file. After an error, it would stay open as long as the traceback refers to a suspended reader."""
        if self._raw is not None:
            self._raw.close()

    def head(self) -> bytes:
        """Return the first bytes. This does not count as a pass through the file."""
        with self.open() as stream:
            head = stream.read(_CHUNK)
        self._begun -= 1
        return head

    @contextmanager
    def open(self) -> Iterator[IO[bytes] | gzip.GzipFile]:
        try:
            with opened(self.path) as stream:
                self._raw = cast("IO[bytes]", stream.fileobj) if isinstance(stream, gzip.GzipFile) else stream
                self._begun += 1
                yield stream
        except OSError as error:
            reason = error.strerror or os.strerror(error.errno or 0)
            raise UserError(f"{self.path}: cannot be read: {reason}") from None

    def chunks(self) -> Iterator[bytes]:
        with self.open() as stream:
            while chunk := stream.read(_CHUNK):
                yield chunk

    def pieces(self) -> Iterator[tuple[int, bytes, bool]]:
        """Yield line numbers, lines or pieces of long lines, and whether the line continues in the next piece."""
        number = 1
        with self.open() as stream:
            while piece := stream.readline(_CHUNK):
                goes_on = not piece.endswith(b"\n")
                yield number, piece, goes_on
                number += not goes_on

    def lines(self) -> Iterator[tuple[int, str]]:
        """Yield each line number and line, without the line end."""
        with self.open() as stream:
            number = 0
            while line := stream.readline(_LONGEST):
                number += 1
                if len(line) == _LONGEST:
                    raise self.fault(number, "the line has over a million characters; this is not a movement file")
                yield number, self.text(line, number)

    def text(self, line: bytes, number: int) -> str:
        try:
            text = line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError:
            raise self.fault(number, "this is not UTF-8 text; convert it, for instance with iconv") from None
        return text.rstrip("\r\n")
