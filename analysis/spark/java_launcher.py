"""A JAVA_HOME whose `bin/java` is a small script, for a Java that lacks a module which Spark insists on.

Spark always passes `--add-modules=jdk.incubator.vector`, which only speeds up some linear algebra; a Java image without
that module then refuses to start. The script drops the argument. Such images also come without the archive of preloaded
classes that makes a usual Java start quickly, so one is laid beside the script; a Java that cannot use it does without.
"""

import atexit
import hashlib
import os
import shlex
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from mobilesim.errors import UserError

DROPPED: Final = "--add-modules=jdk.incubator.vector"

_SCRIPT: Final = """\
#!/bin/sh
for argument do
  shift
  [ "$argument" = {dropped} ] || set -- "$@" "$argument"
done
exec {java} -Xlog:disable -Xlog:all=error:stderr -XX:SharedArchiveFile={archive} "$@"
"""
_ARCHIVE: Final = "classes.jsa"


def launcher(java: Path, home: Path, environment: Mapping[str, str]) -> Path:
    """The launching directory for this Java: in the user's cache, or a temporary one where that cannot be."""
    for place in _places(environment):
        try:
            return _install(place, java, home)
        except OSError:
            continue
    raise UserError(
        "no directory to keep a Java launcher in: neither the cache nor the temporary directory can be used"
    )


def _places(environment: Mapping[str, str]) -> Iterator[Path]:
    cache = Path(environment.get("XDG_CACHE_HOME") or Path(environment.get("HOME", ""), ".cache"))
    if cache.is_absolute():
        yield cache / "mobilesim"
    # Not a fixed name there: in a directory that all may write to, somebody else could have laid a script under it.
    own = Path(tempfile.mkdtemp(prefix="mobilesim-java-"))
    atexit.register(shutil.rmtree, own, ignore_errors=True)
    yield own


def _install(place: Path, java: Path, home: Path) -> Path:
    final = place / f"java-{_key(java, home)}"
    script = _SCRIPT.format(
        dropped=shlex.quote(DROPPED), java=shlex.quote(str(java)), archive=shlex.quote(str(final / _ARCHIVE))
    )
    if not _stands(final, script):
        place.mkdir(parents=True, exist_ok=True)
        _build(final, script, java)
    return final


def _key(java: Path, home: Path) -> str:
    """Changes with the Java that stands at this path, so that an upgrade gets a fresh archive."""
    release = home / "release"
    about = release.read_bytes() if release.is_file() else b""
    return hashlib.sha256(_SCRIPT.encode() + os.fsencode(java) + about).hexdigest()[:16]


def _stands(final: Path, script: str) -> bool:
    program = final / "bin" / "java"
    try:
        return program.read_text() == script and os.access(program, os.X_OK)
    except (OSError, UnicodeDecodeError):
        return False


def _build(final: Path, script: str, java: Path) -> None:
    """Built aside and renamed into place: of two processes at once, one wins and both use a whole directory."""
    aside = Path(tempfile.mkdtemp(prefix=".java-", dir=final.parent))
    try:
        program = aside / "bin" / "java"
        program.parent.mkdir()
        program.write_text(script)
        program.chmod(0o755)
        _run(java, "-Xshare:dump", "-Xlog:disable", "-XX:+UseSerialGC", f"-XX:SharedArchiveFile={aside / _ARCHIVE}")
        if _run(program, "-version") != 0:
            raise OSError(f"{program} does not run")
        _settle(aside, final, script)
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _run(program: Path, *arguments: str) -> int:
    quiet = subprocess.DEVNULL
    command = [str(program), *arguments]
    done = subprocess.run(command, stdin=quiet, stdout=quiet, stderr=quiet, check=False)  # noqa: S603 - a Java, chosen
    return done.returncode


def _settle(aside: Path, final: Path, script: str) -> None:
    try:
        aside.rename(final)
    except OSError:
        if _stands(final, script):
            return
        shutil.rmtree(final, ignore_errors=True)
        aside.rename(final)
