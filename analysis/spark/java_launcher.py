"""A JAVA_HOME whose `bin/java` is a script, for a Java without a module that Spark requests.

Spark always passes `--add-modules=jdk.incubator.vector`, which only speeds up some linear algebra; a Java image without
that module then refuses to start. The script drops the argument. Such images also lack the class data archive that
shortens the start of Java, so one is written beside the script; a Java that cannot read it starts without it.
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
    """Return the launcher directory of this Java: in the user's cache, or in a temporary directory if that fails."""
    for parent in _parents(environment):
        try:
            return _install(parent, java, home)
        except OSError:
            continue
    raise UserError(
        "no directory to keep a Java launcher in: neither the cache nor the temporary directory can be used"
    )


def _parents(environment: Mapping[str, str]) -> Iterator[Path]:
    cache = Path(environment.get("XDG_CACHE_HOME") or Path(environment.get("HOME", ""), ".cache"))
    if cache.is_absolute():
        yield cache / "mobilesim"
    # A fixed name would be unsafe: any user can write to the temporary directory, also a script of that name.
    own = Path(tempfile.mkdtemp(prefix="mobilesim-java-"))
    atexit.register(shutil.rmtree, own, ignore_errors=True)
    yield own


def _install(parent: Path, java: Path, home: Path) -> Path:
    final = parent / f"java-{_key(java, home)}"
    script = _SCRIPT.format(
        dropped=shlex.quote(DROPPED), java=shlex.quote(str(java)), archive=shlex.quote(str(final / _ARCHIVE))
    )
    if not _is_installed(final, script):
        parent.mkdir(parents=True, exist_ok=True)
        _build(final, script, java)
    return final


def _key(java: Path, home: Path) -> str:
    """Return a digest of the path and the release of a Java: an upgrade at the same path gets a new archive."""
    release = home / "release"
    about = release.read_bytes() if release.is_file() else b""
    return hashlib.sha256(_SCRIPT.encode() + os.fsencode(java) + about).hexdigest()[:16]


def _is_installed(final: Path, script: str) -> bool:
    program = final / "bin" / "java"
    try:
        return program.read_text() == script and os.access(program, os.X_OK)
    except (OSError, UnicodeDecodeError):
        return False


def _build(final: Path, script: str, java: Path) -> None:
    """Build the directory under a temporary name and rename it, so that concurrent processes see complete ones only."""
    staged = Path(tempfile.mkdtemp(prefix=".java-", dir=final.parent))
    try:
        program = staged / "bin" / "java"
        program.parent.mkdir()
        program.write_text(script)
        program.chmod(0o755)
        _run(java, "-Xshare:dump", "-Xlog:disable", "-XX:+UseSerialGC", f"-XX:SharedArchiveFile={staged / _ARCHIVE}")
        if _run(program, "-version") != 0:
            raise OSError(f"{program} does not run")
        _publish(staged, final, script)
    finally:
        shutil.rmtree(staged, ignore_errors=True)


def _run(program: Path, *arguments: str) -> int:
    quiet = subprocess.DEVNULL
    command = [str(program), *arguments]
    done = subprocess.run(command, stdin=quiet, stdout=quiet, stderr=quiet, check=False)  # noqa: S603 - the chosen Java
    return done.returncode


def _publish(staged: Path, final: Path, script: str) -> None:
    try:
        staged.rename(final)
    except OSError:
        if _is_installed(final, script):
            return
        shutil.rmtree(final, ignore_errors=True)
        staged.rename(final)
