"""An archive of Spark's classes (class data sharing), with which Spark starts in half the time.

The first session that ends without an error writes the archive: its Java dumps all classes that it has loaded, which
takes some seconds. The archive is in the launcher of the Java (`analysis.spark.java`). It is valid for one version of
Spark, at one path. Java ignores an archive that does not fit.
"""

import hashlib
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import rmtree
from typing import Final

import pyspark

_ABANDONED: Final = 600.0
"""The age in seconds from which an incomplete archive belongs to a process that was killed."""


@contextmanager
def class_archive(launcher: Path) -> Iterator[str]:
    """Yield the Java option that loads the archive, or that writes it if there is none. If the block raises no error,
    the written archive is kept. Java must have ended by then.

    `launcher`: a JAVA_HOME that `analysis.spark.java` has installed.
    """
    archive = launcher / f"spark-{_key()}.jsa"
    if any(character.isspace() for character in str(archive)):
        yield ""  # Spark's launcher would split the path
        return
    if archive.exists():
        yield f"-XX:SharedArchiveFile={archive}"
        return
    stage = archive.with_suffix(".new")
    if not _reserve(stage):
        yield ""
        return
    try:
        yield f"-XX:ArchiveClassesAtExit={stage / archive.name}"
        with suppress(OSError):  # Java may have failed to write it
            (stage / archive.name).replace(archive)
            _remove_older(archive)
    finally:
        rmtree(stage, ignore_errors=True)


def writes_archive(option: str) -> bool:
    """Return whether Java writes the archive at its end."""
    return "ArchiveClassesAtExit" in option


def _key() -> str:
    return hashlib.sha256(f"{pyspark.__version__} {pyspark.__file__}".encode()).hexdigest()[:16]


def _reserve(stage: Path) -> bool:
    """Create the directory for an incomplete archive. Return False if another process writes the archive."""
    with suppress(OSError):
        if time.time() - stage.stat().st_mtime > _ABANDONED:
            rmtree(stage, ignore_errors=True)
    try:
        stage.mkdir()
    except OSError:
        return False
    return True


def _remove_older(archive: Path) -> None:
    """Remove the archives of other versions of Spark, which this Java no longer runs."""
    for other in archive.parent.glob("spark-*.jsa"):
        if other != archive:
            other.unlink(missing_ok=True)
