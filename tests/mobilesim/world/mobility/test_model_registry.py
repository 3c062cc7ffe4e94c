"""Every mobility model of a scenario has a module, and every module is a model."""

from pathlib import Path

import pytest

from mobilesim.scenario.sections.mobility import Mobility
from mobilesim.scenario.sections.mobility_models import MODELS
from mobilesim.world.mobility import model_module, models


@pytest.mark.parametrize("name", MODELS)
def test_every_model_has_a_module_with_one_function(name: str) -> None:
    module = model_module(name)
    assert (hasattr(module, "segments"), hasattr(module, "actions")) in {(True, False), (False, True)}
    assert hasattr(module, "actions") or MODELS[name].on_plane


def test_every_module_of_the_package_is_a_model() -> None:
    assert models.__file__ is not None
    modules = {path.stem for path in Path(models.__file__).parent.glob("*.py")} - {"__init__"}
    assert modules == {name.replace("-", "_") for name in MODELS}


@pytest.mark.parametrize("name", MODELS)
def test_a_scenario_accepts_every_model_with_its_section(name: str) -> None:
    section = MODELS[name].section
    given = {} if section is None else {name.replace("-", "_"): {"file": __file__} if name == "track" else {}}
    mobility = Mobility.model_validate({"model": name, **given}, context=None)
    if section is not None:
        assert isinstance(mobility.model_settings, section)
