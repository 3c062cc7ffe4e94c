"""Where results lie: below a path, or on another file system that Arrow reaches.

What is written appears whole or not at all: a file is renamed to its place, or put there by one request of a store of
objects.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePosixPath
from secrets import token_hex
from tempfile import TemporaryDirectory, mkdtemp
from typing import Final, TypeAlias
from urllib.parse import unquote, urlsplit

import pyarrow as pa
from pyarrow import fs

from mobilesim.errors import UserError
from mobilesim.files.atomic_write import write_atomically

# These show nobody an object before it is whole.
_OBJECTS: Final = frozenset({"s3", "gcs", "abfs"})
_OF_SPARK: Final = frozenset({"s3a", "s3n"})


@dataclass(frozen=True, slots=True)
class Remote:
    """What a path is elsewhere, with as much of a path's interface as is needed here. `root`: the address given."""

    root: str
    below: str = ""

    def __truediv__(self, name: str) -> "Remote":
        return Remote(self.root, f"{self.below}/{name}")

    def __str__(self) -> str:
        """Without what it takes to get there, which may be secret."""
        parts = urlsplit(self.root)
        return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path.rstrip('/')}{self.below}"

    def __lt__(self, other: "Remote") -> bool:
        return (self.root, self.below) < (other.root, other.below)

    @property
    def name(self) -> str:
        return PurePosixPath(self.below or urlsplit(self.root).path).name

    @property
    def stem(self) -> str:
        return PurePosixPath(self.name).stem

    @property
    def suffix(self) -> str:
        return PurePosixPath(self.name).suffix

    def exists(self) -> bool:
        return bool(self.info().type != fs.FileType.NotFound)

    def is_dir(self) -> bool:
        return bool(self.info().type == fs.FileType.Directory)

    def is_file(self) -> bool:
        return bool(self.info().is_file)

    def iterdir(self) -> Iterator["Remote"]:
        return (self / PurePosixPath(info.path).name for info in self.infos())

    def mkdir(self, *, parents: bool = True, exist_ok: bool = True) -> None:
        self.system.create_dir(self.there, recursive=parents)

    def read_bytes(self) -> bytes:
        with self.system.open_input_stream(self.there) as stream:
            content: bytes = stream.read()
        return content

    def read_text(self, encoding: str) -> str:
        return self.read_bytes().decode(encoding)

    def unlink(self, *, missing_ok: bool = False) -> None:
        with suppress(*((FileNotFoundError,) if missing_ok else ())):
            self.system.delete_file(self.there)

    @property
    def system(self) -> fs.FileSystem:
        return _reached(self.root)[0]

    @property
    def there(self) -> str:
        return _reached(self.root)[1].rstrip("/") + self.below

    def info(self) -> fs.FileInfo:
        return self.system.get_file_info(self.there)

    def infos(self) -> list[fs.FileInfo]:
        found: list[fs.FileInfo] = self.system.get_file_info(fs.FileSelector(self.there))
        return found

    def receive(self, source: Path) -> None:
        """A file from here, whole or not at all."""
        own, system = self.system, fs.LocalFileSystem()
        if own.type_name in _OBJECTS:
            fs.copy_files(str(source), self.there, system, own)
            return
        folder, _, name = self.there.rpartition("/")
        part = f"{folder}/.{name}.part"
        fs.copy_files(str(source), part, system, own)
        self.unlink(missing_ok=True)  # some refuse to move over what is there
        own.move(part, self.there)


Location: TypeAlias = Path | Remote


@lru_cache(maxsize=16)
def _reached(root: str) -> tuple[fs.FileSystem, str]:
    system, path = fs.FileSystem.from_uri(root)
    return system, path


def location(text: str) -> Location:
    """A path, or an address such as s3://BUCKET/PREFIX or hdfs://HOST/PATH."""
    if "://" not in text:
        return Path(text)
    parts = urlsplit(text)
    return Path(unquote(parts.path)) if parts.scheme == "file" else Remote(text)


def checked_location(text: str) -> Location:
    """Likewise, and there is somebody at the address."""
    _refuse_mistaken(text)
    found = location(text)
    if isinstance(found, Remote):
        try:
            found.info()
        except (OSError, ValueError, pa.ArrowException) as error:
            said = reason(error).replace(text, str(found))  # which may have a secret in it
            raise UserError(f"{found}: cannot be reached: {said}") from None
    return found


def _refuse_mistaken(text: str) -> None:
    """What would be taken for something else, or keep us waiting."""
    scheme, is_address, _ = text.partition("://")
    if not is_address:
        return
    try:
        parts = urlsplit(text)
    except ValueError:
        raise UserError(f"{scheme}://: not an address; write one such as s3://BUCKET/PREFIX") from None
    if not (parts.netloc or parts.path):
        raise UserError(f"{scheme}://: leads nowhere; write an address such as s3://BUCKET/PREFIX")
    if scheme == "file" and parts.netloc not in {"", "localhost"}:
        said = f"a path of this machine has three slashes, as file:///{parts.netloc}{parts.path}"
        raise UserError(f"file://{parts.netloc}: another machine; {said}")
    if scheme in _OF_SPARK:
        raise UserError(f"{scheme}://: a name of Spark's; write s3://BUCKET/PREFIX, which Arrow knows too")


def address(where: Location) -> str:
    """What `location` makes the same of, anywhere."""
    if isinstance(where, Path):
        return str(where.resolve())
    parts = urlsplit(where.root)
    return parts._replace(path=parts.path.rstrip("/") + where.below).geturl()


def reason(error: Exception) -> str:
    """Libraries put it into words of their own, around the system's."""
    return " ".join(str(getattr(error, "strerror", None) or error).rpartition("] ")[2].split())


def visible_entries(folder: Location) -> list[Location]:
    """What is in there and not hidden, by name."""
    found: list[Location] = [path for path in folder.iterdir() if not path.name.startswith(".")]
    return sorted(found, key=lambda path: path.name)


def file_sizes(folder: Location) -> dict[str, int]:
    """Of the files in there that are not hidden, by name."""
    if isinstance(folder, Path):
        found = ((path.name, path.stat().st_size) for path in folder.iterdir() if path.is_file())
    else:
        found = ((PurePosixPath(info.path).name, info.size) for info in folder.infos() if info.is_file)
    return {name: size for name, size in found if not name.startswith(".")}


def write(target: Location, content: bytes) -> None:
    """A file, whole or not at all."""
    if isinstance(target, Remote):
        with TemporaryDirectory(prefix="mobilesim-") as folder:
            source = Path(folder, target.name)
            source.write_bytes(content)
            target.receive(source)
        return
    write_atomically(target, content)


def move_into_place(source: Path, target: Location) -> None:
    """A file that is whole to its place."""
    if isinstance(target, Path):
        source.replace(target)
        return
    target.receive(source)
    source.unlink()


def staging_directory(directory: Location, name: str) -> Path:
    """A new folder to build something in that is to be brought there."""
    if isinstance(directory, Remote):
        return Path(mkdtemp(prefix="mobilesim-"))
    made = directory / f".{name}-{token_hex(4)}.part"
    made.mkdir()
    return made


def check_writable(directory: Location) -> None:
    """It raises what making the folder and writing there would, and leaves nothing. A store of objects is not asked."""
    if not isinstance(directory, Path):
        return
    there = next(path for path in (directory, *directory.absolute().parents) if path.exists())
    with TemporaryDirectory(prefix=".mobilesim-", dir=there):
        pass


def sync_to_disk(path: Location) -> None:
    """Wait until a file, or a folder's names, are on the disk itself. A store of objects has them nowhere else."""
    if not isinstance(path, Path):
        return
    opened = os.open(path, os.O_RDONLY)
    try:
        with suppress(*((OSError,) if path.is_dir() else ())):  # not every file system can
            os.fsync(opened)
    finally:
        os.close(opened)


def remove_unfinished(directory: Location, name: str = "") -> None:
    """What somebody was building aside."""
    for path in directory.iterdir():
        if path.name.startswith(f".{name}") and path.name.endswith(".part"):
            remove_tree(path)
            if path.is_file():
                path.unlink(missing_ok=True)


def remove_tree(folder: Location) -> None:
    """Whatever can be removed of it."""
    if not folder.is_dir():
        return
    if isinstance(folder, Path):
        shutil.rmtree(folder, ignore_errors=True)
        return
    with suppress(OSError):
        folder.system.delete_dir(folder.there)
