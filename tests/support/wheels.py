"""Wheels of the working tree and of the example packages, built and installed without network."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

from tests.house.tree import ROOT

_PIP: Final = (sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check")


def build_wheel(folder: Path, project: Path = ROOT, **environment: str) -> Path:
    """Build a wheel of a project into a folder. `environment`: additional environment variables of the build."""
    options = ("--no-deps", "--no-build-isolation", "--no-index", "--wheel-dir", str(folder))
    subprocess.run([*_PIP, "wheel", *options, str(project)], env={**os.environ, **environment}, check=True)
    (built,) = folder.glob("*.whl")
    return built


def install_wheel(wheel: Path, folder: Path) -> Path:
    """Install a wheel without its dependencies into a folder; return the folder."""
    subprocess.run([*_PIP, "install", "--no-deps", "--no-index", "--target", str(folder), str(wheel)], check=True)
    return folder
