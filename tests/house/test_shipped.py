import os
import subprocess
import sys
from pathlib import Path

import pytest

from mobilesim.errors import UserError
from mobilesim.scenario import bundled
from tests.house.tree import ROOT


def test_the_error_of_an_unknown_name_suggests_a_users_file_or_names_a_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("town.yaml").write_text("hosts: 3\n")
    Path("results").mkdir()
    with pytest.raises(UserError, match=r"^town: no such file, .*; did you mean 'town.yaml'\?$"):
        bundled.find("town")
    for find in (bundled.find, bundled.find_study, bundled.find_sweep):
        with pytest.raises(UserError, match=r"^results: a directory, and no bundled .* has that name; name a file$"):
            find("results")


def test_the_bundled_names_are_the_files_below_scenarios() -> None:
    files = (ROOT / "scenarios").rglob("*.yaml")
    expected = sorted(path.relative_to(ROOT / "scenarios").with_suffix("").as_posix() for path in files)
    assert sorted([*bundled.names(), *bundled.sweeps(), *bundled.studies()]) == expected
    assert "quickstart" in bundled.names()
    assert all(name.startswith("sweeps/") for name in bundled.sweeps())
    assert all(name.startswith("what-if/") for name in bundled.studies())


@pytest.mark.parametrize("name", ("mobility", "sweeps/mobility", "scenarios/sweeps/mobility.yaml"))
def test_a_shipped_sweep_is_found_from_an_empty_folder(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert bundled.find_sweep(name).resolve() == ROOT / "scenarios" / "sweeps" / "mobility.yaml"


def test_the_error_of_a_misspelt_sweep_suggests_the_nearest_name() -> None:
    with pytest.raises(UserError, match=r"^mobilty: no such file, .*; did you mean 'sweeps/mobility'"):
        bundled.find_sweep("mobilty")


@pytest.mark.parametrize(
    "name", ("quickstart", "quickstart.yaml", "scenarios/quickstart.yaml", "./scenarios/quickstart")
)
def test_a_shipped_scenario_is_found_from_an_empty_folder(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert bundled.find(name).resolve() == ROOT / "scenarios" / "quickstart.yaml"


def test_a_users_scenario_precedes_a_shipped_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    own = tmp_path / "quickstart.yaml"
    own.touch()
    assert bundled.find("quickstart.yaml").resolve() == own.resolve()


def test_a_folder_does_not_hide_a_shipped_scenario(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "quickstart").mkdir()
    assert bundled.find("quickstart").resolve() == ROOT / "scenarios" / "quickstart.yaml"


def test_the_error_of_a_misspelt_scenario_suggests_the_nearest_name() -> None:
    with pytest.raises(UserError, match=r"^quickstrat: no such file, .*; did you mean 'quickstart'"):
        bundled.find("quickstrat")


def test_the_error_of_an_unknown_name_shows_the_command_that_lists_scenarios() -> None:
    with pytest.raises(UserError, match=r"^\./zzz: no such file, .*; `mobilesim run` lists"):
        bundled.find("./zzz")


def test_a_name_with_a_parent_folder_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError):
        bundled.find("scenarios/../scenarios/quickstart")


def test_finding_a_scenario_imports_neither_yaml_nor_numpy() -> None:
    code = "import sys, mobilesim.scenario.bundled; sys.exit('yaml' in sys.modules or 'numpy' in sys.modules)"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    assert subprocess.run([sys.executable, "-c", code], env=environment, check=False).returncode == 0
