"""The built files of the viewer: they are small, and those that its source gives."""

import os
import re
import shutil
import subprocess
from hashlib import sha256
from pathlib import Path

import pytest

from mobilesim.viewing import page
from tests.house.tree import ROOT

BUNDLE = Path(page.__file__).with_name("bundle")
MOST_BYTES = 150_000


def digests(folder: Path) -> dict[str, str]:
    return {path.name: sha256(path.read_bytes()).hexdigest() for path in sorted(folder.iterdir())}


def test_the_bundle_is_small() -> None:
    assert sum(path.stat().st_size for path in BUNDLE.iterdir()) < MOST_BYTES


def test_the_bundle_names_no_place_outside_the_page() -> None:
    script = (BUNDLE / "viewer.js").read_text(encoding="utf-8")
    assert set(re.findall(r"https?://([\w.-]+)", script)) <= {"www.w3.org"}  # the names of SVG and MathML
    assert not re.search(r"\b(fetch|XMLHttpRequest|WebSocket|importScripts|eval)\(", script)


@pytest.mark.full
def test_the_source_gives_the_same_bundle_again(tmp_path: Path) -> None:
    """This also checks the types of the source."""
    if shutil.which("npm") is None:
        pytest.skip("needs npm (on Debian: apt-get install npm)")
    source = tmp_path / "viewer"
    shutil.copytree(ROOT / "viewer", source, ignore=shutil.ignore_patterns("node_modules"))
    install = ["npm", "ci", "--omit-lockfile-registry-resolved", "--no-audit", "--no-fund", "--prefer-offline"]
    done = subprocess.run(install, cwd=source, capture_output=True, text=True, check=False)
    if done.returncode != 0 and not os.environ.get("CI"):
        pytest.skip(f"npm cannot install the packages of the viewer: {done.stderr.strip()[-200:]}")
    assert done.returncode == 0, done.stderr
    built = tmp_path / "built"
    built.mkdir()
    command = ["npm", "run", "build", "--", str(built)]
    done = subprocess.run(command, cwd=source, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert digests(built) == digests(BUNDLE)
