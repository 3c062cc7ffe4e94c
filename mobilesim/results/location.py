"""Locations of results: local paths, or addresses on a remote file system that Arrow supports.

Writes are atomic: a file is renamed to its place, or stored by one request to an object store.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePosixPath
from secrets import token_hex
from tempfile import TemporaryDirectory, gettempdir
from typing import Final, TypeAlias
from urllib.parse import unquote, urlsplit

import pyarrow as pa
from pyarrow import fs

from mobilesim.errors import UserError
from mobilesim.files.atomic_write import write_atomically

# Objects appear in these file systems only when they are complete.
_OBJECT_STORES: Final = frozenset({"s3", "gcs", "abfs"})


@dataclass(frozen=True, slots=True)
class Remote:
    """The location `below` the address `root`, on a remote file system. It has the necessary methods of `Path`."""

    root: str
    below: str = ""

    def __truediv__(self, name: str) -> "Remote":
        return Remote(self.root, f"{self.below}/{name}")

    def __str__(self) -> str:
        """Return the address without the user name and the query, because they may be secret."""
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
        self.system.create_dir(self.path, recursive=parents)

    def read_bytes(self) -> bytes:
        with self.system.open_input_stream(self.path) as stream:
            content: bytes = stream.read()
        return content

    def read_text(self, encoding: str) -> str:
        return self.read_bytes().decode(encoding)

    def unlink(self, *, missing_ok: bool = False) -> None:
        with suppress(*((FileNotFoundError,) if missing_ok else ())):
            self.system.delete_file(self.path)

    @property
    def system(self) -> fs.FileSystem:
        return _reached(self.root)[0]

    @property
    def path(self) -> str:
        return _reached(self.root)[1].rstrip("/") + self.below

    def info(self) -> fs.FileInfo:
        return self.system.get_file_info(self.path)

    def infos(self) -> list[fs.FileInfo]:
        found: list[fs.FileInfo] = self.system.get_file_info(fs.FileSelector(self.path))
        return found

    def upload(self, source: Path) -> None:
        """Copy a local file to this location, atomically."""
        own, system = self.system, fs.LocalFileSystem()
        if own.type_name in _OBJECT_STORES:
            fs.copy_files(str(source), self.path, system, own)
            return
        folder, _, name = self.path.rpartition("/")
        part = f"{folder}/.{name}.part"
        fs.copy_files(str(source), part, system, own)
        self.unlink(missing_ok=True)  # on some file systems, a move does not replace an existing file
        own.move(part, self.path)


Location: TypeAlias = Path | Remote


@lru_cache(maxsize=16)
def _reached(root: str) -> tuple[fs.FileSystem, str]:
    system, path = fs.FileSystem.from_uri(root)
    return system, path


def location(text: str) -> Location:
    """Return the location of a path, or of an address such as s3://BUCKET/PREFIX or hdfs://HOST/PATH."""
    if "://" not in text:
        return Path(text)
    parts = urlsplit(text)
    return Path(unquote(parts.path)) if parts.scheme == "file" else Remote(text)


def checked_location(text: str) -> Location:
    """Return the location; raise a UserError if the address is wrong or cannot be reached."""
    _refuse_wrong_address(text)
    found = location(text)
    if isinstance(found, Remote):
        try:
            found.info()
        except (OSError, ValueError, pa.ArrowException) as error:
            message = reason(error).replace(text, str(found))  # the text may contain a secret
            raise UserError(f"{found}: cannot be reached: {message}") from None
    return found


def _refuse_wrong_address(text: str) -> None:
    """Raise a UserError for an address that would be misread, or that would fail only after a timeout."""
    scheme, is_address, _ = text.partition("://")
    if not is_address:
        return
    try:
        parts = urlsplit(text)
    except ValueError:
        raise UserError(f"{scheme}://: not an address; write one such as s3://BUCKET/PREFIX") from None
    if not (parts.netloc or parts.path):
        raise UserError(f"{scheme}://: incomplete; write an address such as s3://BUCKET/PREFIX")
    if scheme == "file" and parts.netloc not in {"", "localhost"}:
        advice = f"a path of this machine has three slashes, as file:///{parts.netloc}{parts.path}"
        raise UserError(f"file://{parts.netloc}: a path on another machine; {advice}")
    if scheme in {"s3a", "s3n"}:
        raise UserError(f"{scheme}://: supported by Spark only; write s3://BUCKET/PREFIX")


def address(where: Location) -> str:
    """Return a text for which `location` returns the same location, also on another machine."""
    if isinstance(where, Path):
        return str(where.resolve())
    parts = urlsplit(where.root)
    return parts._replace(path=parts.path.rstrip("/") + where.below).geturl()


def reason(error: Exception) -> str:
    """Return the operating system's message of an error, without the text that libraries add."""
    return " ".join(str(getattr(error, "strerror", None) or error).rpartition("] ")[2].split())


def visible_entries(folder: Location) -> list[Location]:
    return [path for path in entries(folder) if not path.name.startswith(".")]


def entries(folder: Location) -> list[Location]:
    found: list[Location] = [*folder.iterdir()]
    return sorted(found, key=lambda path: path.name)


def file_sizes(folder: Location) -> dict[str, int]:
    if isinstance(folder, Path):
        found = ((path.name, path.stat().st_size) for path in folder.iterdir() if path.is_file())
    else:
        found = ((PurePosixPath(info.path).name, info.size) for info in folder.infos() if info.is_file)
    return {name: size for name, size in found if not name.startswith(".")}


def modification_times(folder: Location) -> dict[str, float]:
    """Return the time in seconds at which each file of a folder was written."""
    if isinstance(folder, Path):
        with os.scandir(folder) as found:
            return {entry.name: entry.stat().st_mtime for entry in found if entry.is_file()}
    return {PurePosixPath(info.path).name: info.mtime_ns / 1e9 for info in folder.infos() if info.is_file}


def write_file(target: Location, content: bytes) -> None:
    if isinstance(target, Remote):
        with TemporaryDirectory(prefix="mobilesim-") as folder:
            source = Path(folder, target.name)
            source.write_bytes(content)
            target.upload(source)
        return
    write_atomically(target, content)


def move_into_place(source: Path, target: Location) -> None:
    if isinstance(target, Path):
        source.replace(target)
        return
    target.upload(source)
    source.unlink()


def staging_path(directory: Location, name: str) -> Path:
    """Return an unused path for a local directory of files that will be moved to `directory`.

    The caller creates the directory. So it knows the path even if an interrupt arrives during the creation.
    """
    if isinstance(directory, Remote):
        return Path(gettempdir(), f"mobilesim-{token_hex(8)}")
    return directory / f".{name}-{token_hex(4)}.part"


def check_writable(directory: Location) -> None:
    """Raise an OSError if a local directory cannot be created or written. No files are left there."""
    if not isinstance(directory, Path):
        return
    there = next(path for path in (directory, *directory.absolute().parents) if path.exists())
    with TemporaryDirectory(prefix=".mobilesim-", dir=there):
        pass


def sync_to_disk(path: Location) -> None:
    """Flush a file, or the names in a directory, to the disk."""
    if not isinstance(path, Path):
        return
    opened = os.open(path, os.O_RDONLY)
    try:
        with suppress(*((OSError,) if path.is_dir() else ())):  # some file systems do not support this for directories
            os.fsync(opened)
    finally:
        os.close(opened)


def remove_unfinished(directory: Location, name: str = "") -> None:
    """Remove unfinished files and directories: hidden, with a name that begins with `name` and ends with `.part`."""
    for path in directory.iterdir():
        if path.name.startswith(f".{name}") and path.name.endswith(".part"):
            remove_tree(path)
            if path.is_file():
                path.unlink(missing_ok=True)


def remove_tree(folder: Location) -> None:
    """Remove a directory as far as possible."""
    if not folder.is_dir():
        return
    if isinstance(folder, Path):
        shutil.rmtree(folder, ignore_errors=True)
        return
    with suppress(OSError):
        folder.system.delete_dir(folder.path)
