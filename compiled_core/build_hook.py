"""The build hook of hatchling: compiles the core into a wheel if a C compiler is at hand.

MOBILESIM_PURE=1 makes a wheel of pure Python. So does a machine without a C compiler or without the header files of
Python. An editable installation is always pure, so that the working tree is what runs.
"""

import os
import shutil
import subprocess
import sys
import sysconfig
from importlib.metadata import version as version_of
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


def can_compile() -> bool:
    """Return whether a wheel would contain a compiled core."""
    return os.environ.get("MOBILESIM_PURE") != "1" and _has_compiler() and _has_headers()


def _has_compiler() -> bool:
    command = os.environ.get("CC") or str(sysconfig.get_config_var("CC") or "cc")
    return shutil.which(command.split()[0]) is not None


def _has_headers() -> bool:
    return (Path(sysconfig.get_path("include")) / "Python.h").exists()


class CompiledCore(BuildHookInterface[Any]):
    folder: Path | None = None

    def dependencies(self) -> list[str]:
        # NumPy, because mypyc needs the types of its arrays.
        return ["mypy>=2.4,<2.5", "numpy>=2.1", "setuptools>=77"] if can_compile() else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable" or not can_compile():
            return
        self.folder = Path(mkdtemp())
        self._compile(self.folder)
        build_data["pure_python"] = False
        # The compiled modules import librt, mypyc's library.
        build_data["dependencies"].append(f"librt>={version_of('librt')}")
        build_data["infer_tag"] = True
        for path in self.folder.rglob("*.*"):
            if path.is_file():
                build_data["force_include"][str(path)] = path.relative_to(self.folder).as_posix()

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if self.folder is not None:
            shutil.rmtree(self.folder)

    def _compile(self, folder: Path) -> None:
        """Run the compilation in its own process, which is silent unless it fails."""
        command = [sys.executable, "-m", "compiled_core.compile", str(folder)]
        done = subprocess.run(command, cwd=self.root, capture_output=True, text=True, check=False)  # noqa: S603 - our own module
        if done.returncode:
            shutil.rmtree(folder)
            sys.stderr.write(done.stdout + done.stderr)
            raise SystemExit("mobilesim: the core could not be compiled (see above); MOBILESIM_PURE=1 skips this step")


if __name__ == "__main__":
    raise SystemExit(not can_compile())
