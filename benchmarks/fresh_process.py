"""Each measurement runs in a fresh process: with the compiled core, if it is installed, or in pure Python."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from mobilesim.results.version import running_core

ROOT: Final = Path(__file__).resolve().parents[1]
COMPILED: Final = "compiled"
PURE: Final = "pure"


def compiled_core() -> Path | None:
    """Return the folder of the compiled core if this process imports it, otherwise None."""
    found = find_spec("mobilesim.protocols.machine")
    if running_core() != "compiled core" or found is None or found.origin is None:
        return None
    return Path(found.origin).parents[1]


def cores() -> tuple[str, ...]:
    """Return the cores that can be measured."""
    return (PURE,) if compiled_core() is None else (COMPILED, PURE)


def run_module(module: str, arguments: Sequence[str], core: str) -> Any:  # noqa: ANN401 - any JSON document
    """Run a module in a new process; return the JSON document that it prints."""
    command = [sys.executable, "-m", module, *arguments]
    environment = {**os.environ, "PYTHONSAFEPATH": "1", "PYTHONPATH": os.pathsep.join(_folders(core))}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True, text=True)  # noqa: S603 - our own modules
    return json.loads(done.stdout)


def _folders(core: str) -> Iterator[str]:
    """Yield the folders of modules. Where the compiled core precedes the working tree, it runs."""
    folder = compiled_core()
    if folder is not None and core == COMPILED:
        yield str(folder)
    yield str(ROOT)
    for other in os.environ.get("PYTHONPATH", "").split(os.pathsep):
        if other and Path(other).resolve() != folder:
            yield other
