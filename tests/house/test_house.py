"""The rules of the project, applied to all files and to planted violations."""

import os
import re
import tomllib
from collections.abc import Callable
from typing import Final

import pytest

from tests.house import glossary, layers, pins, rules
from tests.house.imports import RULES, Rule, broken
from tests.house.tree import ROOMS, ROOT, Source, planted, python, sources

Check = Callable[[Source], list[str]]

# Violations of each import rule, and similar imports that are allowed.
PLANTED_IMPORTS: Final = {
    "protocols import only pure modules of the standard library and numpy": (
        [
            ("protocols/rst.py", "import random"),
            ("protocols/rst.py", "from time import monotonic"),
            ("protocols/rst.py", "def send():\n    import logging"),
            ("protocols/rst.py", "import scipy"),
            ("protocols/rst.py", "import mobilesim.results.schema"),
            ("protocols/orderings/rst.py", "from ...mobilesim.results import schema"),
            ("protocols/rst.py", "__import__('socket')"),
            ("protocols/rst.py", "import pickle"),
        ],
        [
            ("protocols/rst.py", "from collections import deque\nimport numpy as np\nfrom protocols import machine"),
            ("protocols/orderings/rst.py", "from . import ses\nfrom ..machine import Stamp"),
        ],
    ),
    "only the simulation imports simpy": (
        [
            ("mobilesim/experiments/run.py", "import simpy"),
            ("analysis/summary/spark_job.py", "from simpy.core import Environment"),
        ],
        [("mobilesim/simulation.py", "import simpy"), ("mobilesim/simulation/loop.py", "from simpy import Event")],
    ),
    "only mobilesim/scenario imports yaml": (
        [
            ("mobilesim/cli/scenarios/init.py", "def run():\n    import yaml"),
            ("mobilesim/scenarios.py", "from yaml import load"),
        ],
        [("mobilesim/scenario/loader.py", "import yaml")],
    ),
    "only the API and commands import analysis, and only inside functions": (
        [
            ("mobilesim/experiments/run.py", "def run():\n    from analysis import api"),
            ("mobilesim/cli/experiments/run.py", "import analysis.pipeline.summarize"),
            ("mobilesim/cli/experiments/run.py", "class Run:\n    from analysis import api"),
            (
                "mobilesim/experiments/run.py",
                "def run():\n    return importlib.import_module('analysis.pipeline.summarize')",
            ),
        ],
        [("mobilesim/cli/experiments/run.py", "def run():\n    from analysis.pipeline.summarize import summarize_run")],
    ),
    "mobilesim imports only the catalogue and the contract of protocols": (
        [
            ("mobilesim/experiments/run.py", "from protocols.orderings import rst"),
            ("mobilesim/experiments/run.py", "import protocols.placements.proxy"),
            ("mobilesim/oracle/causal_order.py", "from protocols import inbox"),
        ],
        [("mobilesim/experiments/run.py", "from protocols import catalogue\nfrom protocols.machine import Message")],
    ),
    "only analysis imports Spark and Plotly, and the API inside functions": (
        [
            ("mobilesim/cli/experiments/run.py", "def run():\n    import pyspark"),
            ("mobilesim/results/parquet_writer.py", "import plotly.io"),
        ],
        [("mobilesim/results/parquet_writer.py", "import pyarrow.parquet")],
    ),
    "commands import heavy modules only inside functions": (
        [
            ("mobilesim/cli/experiments/run.py", "import rich.progress"),
            ("mobilesim/cli/experiments/run.py", "if True:\n    import numpy"),
        ],
        [("mobilesim/cli/experiments/run.py", "import argparse\ndef run():\n    import rich")],
    ),
    "analysis imports only results, errors and intervals of mobilesim": (
        [
            ("analysis/summary/results_reader.py", "from mobilesim.experiments import run"),
            ("analysis/summary/results_reader.py", "import mobilesim"),
            ("analysis/summary/results_reader.py", "from mobilesim.results_of_old import RUNS"),
        ],
        [
            (
                "analysis/summary/results_reader.py",
                "from mobilesim.results import schema\nfrom mobilesim.errors import UserError",
            )
        ],
    ),
    "analysis does not import protocols": (
        [("analysis/claims.py", "from protocols import catalogue")],
        [("analysis/claims.py", "from analysis import protocols")],
    ),
    "figures and reports do not import Spark": (
        [
            ("analysis/figures/delay.py", "from pyspark.sql import DataFrame"),
            ("analysis/report/run_page.py", "import pyspark"),
        ],
        [("analysis/summary/spark_job.py", "from pyspark.sql import DataFrame")],
    ),
    "protocols and analysis are imported as packages of mobilesim": (
        [
            ("tests/protocols/test_state.py", "from protocols import state"),
            ("mobilesim/cli/experiments/run.py", "def run():\n    import analysis.pipeline.summarize"),
        ],
        [("protocols/orderings/rst.py", "from mobilesim.protocols.machine import Stamp\nfrom . import ses")],
    ),
    "no module but the API imports pandas, and that inside functions": (
        [("analysis/figures/delay.py", "import pandas as pd")],
        [("analysis/figures/delay.py", "import pyarrow as pa")],
    ),
    "no test imports another test": (
        [
            ("tests/mobilesim/results/test_runs.py", "from tests.mobilesim.results.test_layout import run"),
            ("tests/support/runs.py", "def run():\n    import tests.mobilesim.results.test_layout"),
        ],
        [("tests/mobilesim/results/test_runs.py", "from tests.support.sweep_runs import run_sweep")],
    ),
    "the product imports neither tests nor benchmarks": (
        [("mobilesim/experiments/run.py", "from tests.house import tree"), ("protocols/rst.py", "import benchmarks")],
        [("mobilesim/experiments/run.py", "import unittest")],
    ),
}

EVERY_FILE: Final[tuple[Check, ...]] = (
    rules.loose_ends,
    rules.registries,
    rules.other_places,
    rules.addresses,
    rules.strays,
)
PYTHON_FILES: Final[tuple[Check, ...]] = (rules.long_files, rules.long_functions, rules.prints, rules.vague_names)

# Words are split so that this file follows the rules that it tests.
PLANTED: Final[list[tuple[Check, str, str]]] = [
    (rules.loose_ends, "mobilesim/world/cells.py", "# TO" + "DO: hexagons\n"),
    (rules.loose_ends, "docs/architecture.md", "FIX" + "ME\n"),
    (rules.registries, "Makefile", "pip install --index" + "-url=somewhere\n"),
    (rules.registries, "docs/install.md", "from https:" + "//py" + "pi.org/simple\n"),
    (rules.other_places, "README.md", "see /wo" + "rk/main\n"),
    (rules.other_places, "docs/architecture.md", "see ../sha" + "red/design\n"),
    (rules.other_places, "mobilesim/results/parquet_writer.py", "open('/t" + "mp/x')\n"),
    (rules.addresses, "pyproject.toml", 'homepage = "https:' + '//example.org"\n'),
    (rules.addresses, "analysis/report/run_page.py", "PLOTLY = 'https:" + "//cdn.plot.ly/plotly.js'\n"),
    (rules.strays, "mobilesim/world/cells.yaml", "rows: 3\n"),
    (rules.strays, "scenarios/notes.txt", "\n"),
    (rules.strays, "scenarios/other.yml", "\n"),
    (rules.long_files, "mobilesim/experiments/run.py", "\n" * 401),
    (rules.long_functions, "tests/test_runner.py", "def run():\n" + "    pass\n" * 50),
    (rules.long_functions, "tests/test_runner.py", "class A:\n  async def run():\n" + "    pass\n" * 50),
    (rules.prints, "mobilesim/experiments/run.py", "print(1)\n"),
    (rules.prints, "analysis/pipeline/summarize.py", "say = print\n"),
    (rules.vague_names, "mobilesim/cells.py", "class CellMan" + "ager: ...\n"),
    (rules.vague_names, "mobilesim/utils.py", "\n"),
]

HARMLESS: Final[list[tuple[Check, str, str]]] = [
    (rules.loose_ends, "mobilesim/world/cells.py", "hackneyed = 'todo'\n"),
    (rules.registries, "README.md", "pip install mobilesim\n"),
    (rules.other_places, "docs/architecture.md", "the network/workload, and tmp/x\n"),
    (rules.addresses, "docs/architecture.md", "https:" + "//doi.org/10.1000/1\n"),
    (rules.addresses, "mobilesim/cli/scenarios/schema.py", "'https:" + "//json-schema.org/draft/2020-12/schema'\n"),
    (rules.addresses, "analysis/spark/session.py", "'a master, such as spark:" + "//HOST:7077'\n"),
    (rules.strays, "scenarios/papers/av.yaml", "hosts: 2\n"),
    (rules.strays, "mobilesim/experiments/paper_figures/figures/av.yaml", "av-figure-1: {}\n"),
    (rules.strays, "scenarios/cells/town.csv", "x,y\n"),
    (rules.strays, "mobilesim/scenario/loader.py", "\n"),
    (rules.long_files, "mobilesim/experiments/run.py", "\n" * 400),
    (rules.long_functions, "tests/test_runner.py", "def run():\n" + "    pass\n" * 49),
    (rules.prints, "mobilesim/cli/experiments/run.py", "print(1)\n"),
    (rules.vague_names, "mobilesim/cells.py", "class Cell: ...\n"),
]


def test_the_glossary_page_has_the_terms_of_the_report() -> None:
    shown = glossary.PAGE.read_text(encoding="utf-8")
    assert shown == glossary.page(), "write the page again: python -m tests.house.glossary"


def test_every_file_of_the_product_is_in_a_listed_package() -> None:
    assert layers.files_without_room(python()) == []


def test_rooms_import_lower_layers_only() -> None:
    assert "\n".join(line for source in python() for line in layers.upward(source)) == ""


def test_no_package_has_too_many_files() -> None:
    assert list(layers.crowded(python())) == []


def test_the_architecture_page_shows_the_layers() -> None:
    page = layers.PAGE.read_text(encoding="utf-8")
    assert layers.with_picture(page) == page, "write the diagram again: python -m tests.house.layers"
    for room in layers.LEVEL:
        assert f"`{room}`" in page


@pytest.mark.parametrize(
    ("path", "text"),
    (
        ("mobilesim/world/cells.py", "from mobilesim.simulation.cells import Cells"),
        ("mobilesim/world/cells.py", "def f():\n    from mobilesim.experiments import run"),
        ("mobilesim/world/cells.py", "if TYPE_CHECKING:\n    from mobilesim.cli import main"),
        ("analysis/figures/delay.py", "import analysis.sweeps.model"),
        ("protocols/machine.py", "from ..protocols.orderings import rst"),
    ),
)
def test_an_import_of_the_same_or_a_higher_layer_is_reported(path: str, text: str) -> None:
    assert layers.upward(planted(path, text)) != []


def test_an_unlisted_file_and_a_crowded_package_are_reported() -> None:
    assert layers.files_without_room([planted("mobilesim/runner.py", "")]) != []
    files = [planted(f"mobilesim/world/a{number}.py", "") for number in range(layers.MOST_FILES + 1)]
    assert list(layers.crowded(files)) != []
    assert list(layers.crowded(files[1:])) == []


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_every_file_follows_the_import_rules(rule: Rule) -> None:
    assert "\n".join(line for source in python() for line in broken(source, rule)) == ""


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.name)
def test_an_import_rule_reports_exactly_its_violations(rule: Rule) -> None:
    bad, good = PLANTED_IMPORTS[rule.name]
    assert [case for case in bad if not broken(planted(*case), rule)] == []
    assert [case for case in good if broken(planted(*case), rule)] == []


@pytest.mark.parametrize("check", EVERY_FILE, ids=lambda check: check.__name__)
def test_no_file_violates_a_rule(check: Check) -> None:
    assert "\n".join(line for source in sources() for line in check(source)) == ""


@pytest.mark.parametrize("check", PYTHON_FILES, ids=lambda check: check.__name__)
def test_no_python_file_violates_a_rule(check: Check) -> None:
    assert "\n".join(line for source in python() for line in check(source)) == ""


@pytest.mark.parametrize(("check", "path", "text"), PLANTED)
def test_every_rule_finds_its_planted_violation(check: Check, path: str, text: str) -> None:
    assert check(planted(path, text)) != []


@pytest.mark.parametrize(("check", "path", "text"), HARMLESS)
def test_a_rule_ignores_text_that_only_resembles_a_violation(check: Check, path: str, text: str) -> None:
    assert check(planted(path, text)) == []


def test_every_rule_has_a_planted_violation() -> None:
    assert {check for check, _, _ in PLANTED} == {*EVERY_FILE, *PYTHON_FILES}
    assert set(PLANTED_IMPORTS) == {rule.name for rule in RULES}


def test_the_checked_files_include_all_packages_the_tests_and_the_settings() -> None:
    rooms = {source.room for source in python()}
    assert rooms >= {*ROOMS, "tests"}
    assert {"Makefile", "pyproject.toml", ".gitignore"} <= {str(source.path) for source in sources()}


def test_ninety_percent_of_functions_are_short() -> None:
    assert rules.share_of_short_functions([source for source in python() if source.room in ROOMS]) >= 0.9


def test_the_share_of_short_functions_is_computed_from_all_functions() -> None:
    short, long = "def a():\n    pass\n", "def b():\n" + "    pass\n" * 30
    assert rules.share_of_short_functions([planted("mobilesim/a.py", short + long)]) == 0.5


def test_every_dependency_is_pinned_by_name_and_version() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert pins.faults((ROOT / "constraints.txt").read_text(encoding="utf-8"), pins.requirements(project)) == []


@pytest.mark.parametrize(
    ("constraints", "fault"),
    (
        ("simpy==4.1.2\nrich @ file:///rich.whl", "not a pin: rich @ file:///rich.whl"),
        ("simpy==4.1.2\nrich>=13", "not a pin: rich>=13"),
        ("--no-index\nsimpy==4.1.2\nrich==15.0.0", "not a pin: --no-index"),
        ("simpy==4.1.2", "not pinned: rich"),
    ),
)
def test_a_missing_or_unpinned_constraint_is_reported(constraints: str, fault: str) -> None:
    expected = pins.requirements({"dependencies": ["simpy>=4.1,<5"], "optional-dependencies": {"x": ["Rich >= 13"]}})
    assert fault in pins.faults(constraints, expected)


def test_the_script_for_continuous_integration_runs_make_test() -> None:
    script = ROOT / ".ci" / "run"
    assert os.access(script, os.X_OK)
    assert re.search(r"^make test$", script.read_text(encoding="utf-8"), re.MULTILINE)
