"""An archive of Spark's classes (class data sharing), with which Spark starts in half the time.

The first session without an error writes the archive: at its end, Java dumps all classes that it has loaded, which
takes some seconds. The archive is valid for the jar files of one installation of Spark.
"""

import hashlib
import os
import re
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final, Self

import pyspark

_OTHER_CLASS_PATHS: Final = ("HADOOP_CONF_DIR", "YARN_CONF_DIR", "SPARK_CONF_DIR", "SPARK_DIST_CLASSPATH")
"""With one of these variables, Spark's class path has folders, which an archive cannot have."""

_SPECIAL: Final = re.compile(r"[\s'\"\\]")
"""Spark would split or change a Java option with these characters."""

_INCOMPLETE: Final = ".new"
_DAY: Final = 86_400.0


class ClassArchive:
    """The archive for one session: to be loaded, to be written, or none."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._new: Path | None = None
        if path is not None and not path.exists():
            self._new = path.with_name(f"{path.stem}.{os.getpid()}{_INCOMPLETE}")

    @classmethod
    def of(cls, launcher: Path, environment: Mapping[str, str] = os.environ) -> Self:
        """Return the archive in a launcher that `analysis.spark.java` has installed."""
        path = launcher / f"spark-{_digest(pyspark.__file__)}-{_digest(pyspark.__version__, _time_of_jars())}.jsa"
        impossible = _SPECIAL.search(str(path)) or any(environment.get(name) for name in _OTHER_CLASS_PATHS)
        return cls(None if impossible or _failed(path).exists() else path)

    @property
    def is_new(self) -> bool:
        """Whether Java writes the archive at its end."""
        return self._new is not None

    @property
    def option(self) -> str:
        """The option for Java, '' without an archive."""
        if self._new is not None:
            return f"-XX:ArchiveClassesAtExit={self._new}"
        return "" if self._path is None else f"-XX:SharedArchiveFile={self._path}"

    def finish(self, *, complete: bool) -> None:
        """Keep the new archive if it is complete, otherwise remove it. Call this after the end of Java.

        If Java writes no archive, later sessions do not try again.
        """
        if self._path is None or self._new is None:
            return
        with suppress(OSError):
            if complete and self._new.exists():
                self._new.replace(self._path)
                self._remove_older()
            elif complete:
                _failed(self._path).touch()
            self._new.unlink(missing_ok=True)

    def _remove_older(self) -> None:
        """Remove archives of earlier versions of the same installation, and those that were never completed."""
        assert self._path is not None
        installation = self._path.name.rpartition("-")[0]
        for other in self._path.parent.glob(f"{installation}-*"):
            incomplete = other.name.endswith(_INCOMPLETE)
            if other != self._path and (not incomplete or time.time() - other.stat().st_mtime > _DAY):
                other.unlink(missing_ok=True)


NO_ARCHIVE: Final = ClassArchive(None)


def _failed(path: Path) -> Path:
    return path.with_suffix(".failed")


def _time_of_jars() -> str:
    """Return the time at which the jar files were installed. Java refuses an archive of other files."""
    try:
        return str((Path(pyspark.__file__).parent / "jars").stat().st_mtime_ns)
    except OSError:
        return ""


def _digest(*parts: str) -> str:
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:12]
