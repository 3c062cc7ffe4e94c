"""Input files, which may be gzipped."""

import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import IO, Final

from mobilesim.errors import UserError

_GZIP: Final = b"\x1f\x8b"


@contextmanager
def opened(path: Path, key: str = "") -> Iterator[IO[bytes] | gzip.GzipFile]:
    """Open a file; uncompress a gzip file. Error messages begin with `key`, the key of the file in a scenario."""
    where = f"{key}: {path}" if key else str(path)
    try:
        with path.open("rb") as raw:
            packed = raw.read(len(_GZIP)) == _GZIP
            raw.seek(0)
            if packed:
                with gzip.GzipFile(fileobj=raw) as stream:
                    yield stream
            else:
                yield raw
    except EOFError:
        raise UserError(f"{where}: the gzip data is cut off; copy the file again") from None
    except (gzip.BadGzipFile, zlib.error) as error:
        raise UserError(f"{where}: the gzip data is damaged ({error}); copy the file again") from None


@contextmanager
def opened_text(path: Path, key: str = "") -> Iterator[TextIOWrapper]:
    """Open a file as UTF-8 text, without conversion of line ends."""
    with opened(path, key) as stream, TextIOWrapper(stream, encoding="utf-8-sig", newline="") as text:
        yield text
