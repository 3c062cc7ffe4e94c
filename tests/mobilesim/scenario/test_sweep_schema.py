"""The JSON Schema of sweeps, which editors use, agrees with the loader of sweeps."""

import json
from typing import Any, Final

import pytest
from jsonschema import Draft202012Validator

from mobilesim.cli.main import main
from mobilesim.errors import UserError
from mobilesim.experiments.sweep.plan import make_plan
from mobilesim.scenario import bundled, yaml_document
from mobilesim.scenario.json_schema import schema as scenario_schema
from mobilesim.scenario.sweeps.json_schema import schema
from mobilesim.scenario.sweeps.sweep_file import load, loads

SCHEMA: Final = schema()
VALIDATOR: Final = Draft202012Validator(SCHEMA)
PATHS: Final = sorted(SCHEMA["properties"]["set"]["properties"])

SOUND: Final = (
    "scenario: quickstart",
    "scenario: {hosts: 5, cells: 4}\nname: mine\nquick: true\nset: {hosts: 4, seed: 3, oracle: true}",
    "scenario: {}\nset:\nprotocols:\nreplications:",
    "scenario: {}\nset: {duration: null, messages: 10, mobility: {dwell: 1 s}}",
    "scenario: {}\nset: {wireless.latency: 2 ms, groups.rule: ring, groups.size: 3}",
    "scenario: {}\nset: {mobility.disconnect: {probability: 0.5}}\nvary: {mobility.dwell: [1 s, 'exponential 2 s']}",
    "scenario: {}\nvary: {hosts: {from: 10, to: 1000, steps: 5, scale: log}}",
    "scenario: {}\nvary: {hosts: {from: '10', to: 20.5, step: 5}}",
    "scenario: {}\nvary: {wireless.bandwidth: {from: 1 Mbit/s, to: 3 Mbit/s, step: 0.5 Mbit/s}}",
    "scenario: {}\nvary: {mobility.disconnect.probability: {from: 0, to: 1.1, step: 0.3}}",
    "scenario: {}\nvary: {mobility.dwell: {from: exponential 1 s, to: exponential 3 s, steps: 3}}",
    "scenario: {}\nvary: {mobility.dwell: {from: exponential 1 s, to: exponential 9 s, steps: 3, scale: log}}",
    "scenario: {}\nvary: {hosts: [4, 9]}\ndesign: grid",
    "scenario: {}\nvary: {hosts: [4, 9, 12]}\ndesign: {kind: one-at-a-time, base: {hosts: 9}}",
    "scenario: {}\nvary: {hosts: {from: 4, to: 9}}\ndesign: {kind: sobol, points: 8}",
    "scenario: {}\nvary: {mobility.dwell: {from: 1s, to: 9s, scale: log}}\ndesign: {kind: random, points: 8, seed: 3}",
    "scenario: {}\nvary: {together: [{hosts: {from: 4, to: 9}, cells: [4, 9]}]}\ndesign: {kind: sobol, points: 8}",
    (
        "scenario: {}\nvary: {hosts: [4, 9]}\nprotocols: [av1, av2]\nreplications: 2\n"
        "refine: {axis: hosts, protocols: [av1, av2], until: 1, runs: 20}"
    ),
    "scenario: {workload: {kind: multicast}}\nvary: {workload.selectivity: {from: 10 %, to: 90 %, steps: 3}}",
    "scenario: {}\nvary: {mobility.disconnect: [{probability: 0.5}, {}], cells: [4, {rows: 3, columns: 2}]}",
    "scenario: {}\nvary: {together: {cells: [4, 9], hosts: [10, 40]}}",
    "scenario: {}\nvary: {cells.rows: [2, 3], together: [{cells.columns: [2, 3], hosts: [10, 40]}]}",
    "scenario: {}\nset: {cells: {columns: 4}}\nvary: {cells.rows: [2, 3]}",
    "scenario: {}\nprotocols: av1",
    "scenario: {}\nvariants:",
    "scenario: {}\nvariants: {slow: {wireless.bandwidth: 256 kbit/s, hosts: 5}, two: {protocol: av2}}",
    "scenario: {}\nvary: {hosts: [4, 5]}\nvariants: {three: {protocols: [{name: av3, k: 2}, fifo]}}",
    "scenario: {}\nprotocols: [av2, {name: av3, k: 3}, proxy+ks]\nreplications: 4",
    "scenario: {}\nreplications: {until: {delay: 5 %, causal_wait: 0.5%}}",
    "scenario: {}\nreplications: {at_least: 60, at_most: 70, until: {header_bytes: 99.5 %}}",
)

REFUSED: Final = (
    "[1]",
    "vary: {}",
    "scenario: 5",
    "scenario: ''",
    "scenario: {seeds: 3}",
    "scenario: {hosts: many}",
    "scenario: {}\nvarry: {}",
    "scenario: {}\nhosts: 5",
    "scenario: {}\nname: ''",
    "scenario: {}\nname: 5",
    "scenario: {}\nquick: 1",
    "scenario: {}\nset: []",
    "scenario: {}\nset: {hots: 3}",
    "scenario: {}\nset: {hosts: '3'}",
    "scenario: {}\nset: {mobility.dwel: 1 s}",
    "scenario: {}\nset: {mobility.dwell: 1}",
    "scenario: {}\nset: {mobility.dwell.mean: 1 s}",
    "scenario: {}\nset: {trace: false}",
    "scenario: {}\nset: {oracle: false}",
    "scenario: {}\nset: {oracle: [false]}",
    "scenario: {}\nset: {protocols: av1}",
    "scenario: {}\nset: {replications: 3}",
    "scenario: {}\nset: {name: mine}",
    "scenario: {}\nset: {hosts: 5}\nvary: {hosts: [6]}",
    "scenario: {}\nset: {cells.rows: 3}\nvary: {cells: [6]}",
    "scenario: {}\nvary:",
    "scenario: {}\nvary: 3",
    "scenario: {}\nvary: {nothing: [1]}",
    "scenario: {}\nvary: {hosts: 10}",
    "scenario: {}\nvary: {hosts: []}",
    "scenario: {}\nvary: {hosts: [10, x]}",
    "scenario: {}\nvary: {hosts: [10, 10]}",
    "scenario: {}\nvary: {seed: [1, 2]}",
    "scenario: {}\nvary: {name: [a, b]}",
    "scenario: {}\nvary: {trace: [true]}",
    "scenario: {}\nvary: {protocols: [av1, av2]}",
    "scenario: {}\nvary: {replications: [1, 2]}",
    "scenario: {}\nvary: {cells: [4], cells.rows: [3]}",
    "scenario: {}\nvary: {together: {cells: [4], cells.rows: [3]}}",
    "scenario: {}\nvary: {together: {}}",
    "scenario: {}\nvary: {together: [3]}",
    "scenario: {}\nvary: {together: [{together: [3]}]}",
    "scenario: {}\nvary: {hosts: {}}",
    "scenario: {}\nvary: {hosts: {from: 5, to: 9}}",
    "scenario: {}\nvary: {hosts: {from: 5, step: 1}}",
    "scenario: {}\nvary: {hosts: {from: 5, to: 9, stop: 1}}",
    "scenario: {}\nvary: {hosts: {from: 5, to: 9, step: 2, steps: 2}}",
    "scenario: {}\nvary: {hosts: {from: 5, to: 9, step: 0}}",
    "scenario: {}\nvary: {hosts: {from: 5, to: 9, step: -1}}",
    "scenario: {}\nvary: {hosts: {from: 5, to: 9, steps: 1}}",
    "scenario: {}\nvary: {hosts: {from: 5, to: 9, steps: 1001}}",
    "scenario: {}\nvary: {hosts: {from: true, to: 9, steps: 3}}",
    "scenario: {}\nvary: {hosts: {from: 5, to: 9, steps: 3, scale: loga}}",
    "scenario: {}\nvary: {hosts: {from: 5, to: 9, step: 3, scale: log}}",
    "scenario: {}\nvary: {mobility.disconnect.probability: {from: 0, to: 1, steps: 3, scale: log}}",
    "scenario: {}\nvary: {hosts: {from: 0, to: 9, step: 3}}",
    "scenario: {}\nvary: {hosts: {from: 1 s, to: 9 s, step: 3 s}}",
    "scenario: {}\nvary: {mobility.dwell: {from: 1, to: 3, step: 1}}",
    "scenario: {}\nvary: {mobility.dwell: {from: 1 s, to: 3 s, step: 0 s}}",
    "scenario: {}\nvary: {mobility.model: {from: 1, to: 3, step: 1}}",
    "scenario: {}\nvary: {backbone.file: {from: 1, to: 3, step: 1}}",
    "scenario: {}\nvary: {mobility.dwell: {from: 1 s, to: 9 s, step: exponential 1 s}}",
    "scenario: {}\nvary: {together: {hosts: {from: 4, to: 9}, cells: [4, 9]}}",
    "scenario: {}\nvary: {hosts: {from: 4, to: 9}}\ndesign: one-at-a-time",
    "scenario: {}\nvary: {hosts: [4, 9]}\ndesign: sobol",
    "scenario: {}\nvary: {hosts: [4, 9]}\ndesign: {kind: sobol}",
    "scenario: {}\nvary: {hosts: [4, 9]}\ndesign: {kind: sobo, points: 4}",
    "scenario: {}\nvary: {hosts: [4, 9]}\ndesign: {kind: sobol, points: 1}",
    "scenario: {}\nvary: {hosts: [4, 9]}\ndesign: {kind: sobol, points: 4, seed: -1}",
    "scenario: {}\nvary: {hosts: [4, 9]}\ndesign: {kind: sobol, points: 4, base: {hosts: 4}}",
    "scenario: {}\nvary: {hosts: [4, 9]}\ndesign: {kind: grid, points: 4}",
    "scenario: {}\nvary: {hosts: [4, 9]}\ndesign: {points: 4}",
    "scenario: {}\nvary: {hosts: [4, 9]}\ndesign: {kind: one-at-a-time, seed: 4}",
    "scenario: {}\nvary: {hosts: [4, 9]}\nrefine: {axis: hosts, until: 1}",
    "scenario: {}\nvary: {hosts: [4, 9]}\nrefine: {axis: hosts, protocols: [av1], until: 1}",
    "scenario: {}\nvary: {hosts: [4, 9]}\nrefine: {axis: hosts, protocols: [av1, av2]}",
    "scenario: {}\nvary: {hosts: [4, 9]}\nrefine: {axis: hosts, protocols: [av1, av2], until: 0}",
    "scenario: {}\nprotocols: []",
    "scenario: {}\nvariants: {}",
    "scenario: {}\nvariants: {slow: {}}",
    "scenario: {}\nvariants: {base: {hosts: 5}}",
    "scenario: {}\nvariants: {slow: {hots: 5}}",
    "scenario: {}\nvariants: {slow: {seed: 5}}",
    "scenario: {}\nvariants: {slow: {replications: 5}}",
    "scenario: {}\nvariants: {slow: {oracle: false}}",
    "scenario: {}\nvariants: {slow: {protocol: [av1, av2]}}",
    "scenario: {}\nvariants: {slow: {protocol: av2, protocols: [av3]}}",
    "scenario: {}\nprotocols: [av9]",
    "scenario: {}\nprotocols: [{name: av3, k: 0}]",
    "scenario: {}\nreplications: 0",
    "scenario: {}\nreplications: many",
    "scenario: {}\nreplications: true",
    "scenario: {}\nreplications: {at_most: 5}",
    "scenario: {}\nreplications: {until: {}}",
    "scenario: {}\nreplications: {until: {delai: 5 %}}",
    "scenario: {}\nreplications: {until: {delay: 5}}",
    "scenario: {}\nreplications: {until: {delay: 0.0 %}}",
    "scenario: {}\nreplications: {until: {delay: 100 %}}",
    "scenario: {}\nreplications: {until: {delay: 5 %}, at_most: 1}",
    "scenario: {}\nreplications: {until: {delay: 5 %}, at_least: 51}",
    "scenario: {}\nreplications: {until: {delay: 5 %}, most: 9}",
)

BEYOND_A_SCHEMA: Final = (
    "scenario: quickstrat",
    "scenario: {oracle: false}",
    "scenario: {}\nvary: {hosts: {from: 5, to: 2, step: 1}}",
    "scenario: {}\nvary: {hosts: {from: 1, to: 99999, step: 1}}",
    "scenario: {}\nvary: {mobility.dwell: {from: 1 s, to: 9 ms, step: 1 s}}",
    "scenario: {}\nvary: {together: {cells: [4], hosts: [2, 3]}}",
    "scenario: {}\nvary: {hosts: [2, 3], together: {hosts: [4]}}",
    "scenario: {}\nvary: {mobility.dwell: {from: 1 s, to: exponential 3 s, steps: 3}}",
    "scenario: {}\ndesign: {kind: sobol, points: 8}",
    "scenario: {}\nvary: {hosts: [2, 3]}\nvariants: {few: {cells: 4}}\ndesign: {kind: sobol, points: 8}",
    "scenario: {}\nvary: {hosts: [2, 3]}\ndesign: {kind: sobol-indices, points: 5000}",
    "scenario: {}\nvary: {hosts: [2, 3]}\ndesign: {kind: one-at-a-time, base: {cells: 4}}",
    "scenario: {}\nreplications: {until: {delay: 5 %}, at_least: 9, at_most: 8}",
)


def fails_schema(text: str) -> bool:
    return not VALIDATOR.is_valid(yaml_document.parse(text).data)


def fails_loader(text: str) -> bool:
    try:
        make_plan(loads(text, "s.yaml"))
    except UserError:
        return True
    return False


@pytest.mark.full
def test_the_schema_is_valid_and_its_references_exist() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    for pointer in references(SCHEMA):
        place: Any = SCHEMA
        for part in pointer.removeprefix("#/").split("/"):
            place = place[int(part) if isinstance(place, list) else part]


def references(schema: object) -> list[str]:
    inner = schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ()
    own = [schema["$ref"]] if isinstance(schema, dict) and "$ref" in schema else []
    return own + [pointer for part in inner for pointer in references(part)]


@pytest.mark.parametrize("name", bundled.sweeps())
def test_every_shipped_sweep_passes_the_schema_also_when_resolved(name: str) -> None:
    path = bundled.find_sweep(name)
    assert not fails_schema(path.read_text(encoding="utf-8"))
    assert not fails_schema(load(path).settled())


@pytest.mark.parametrize("text", SOUND)
def test_sweeps_accepted_by_the_loader_pass_the_schema(text: str) -> None:
    assert not fails_loader(text)
    assert not fails_schema(text)


@pytest.mark.parametrize("text", REFUSED)
def test_sweeps_refused_by_the_schema_are_refused_by_the_loader(text: str) -> None:
    assert fails_schema(text)
    assert fails_loader(text)


@pytest.mark.parametrize("text", BEYOND_A_SCHEMA)
def test_some_mistakes_are_found_only_by_the_loader(text: str) -> None:
    assert fails_loader(text)
    assert not fails_schema(text)


def test_the_schema_has_exactly_the_paths_of_the_loader() -> None:
    assert {"hosts", "cells", "cells.rows", "mobility.disconnect.probability", "groups.size"} <= set(PATHS)
    for path in PATHS:
        with pytest.raises(UserError) as caught:
            make_plan(loads(f"scenario: {{}}\nset: {{{path}: {{such: 1}}}}", "s.yaml"))
        assert not str(caught.value).startswith(f"s.yaml:2: set.{path}: unknown key")


def listed(schema: object) -> set[str]:
    """Return the sections that occur in lists. Their keys have no path."""
    inner = schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ()
    own = references(schema["items"]) if isinstance(schema, dict) and isinstance(schema.get("items"), dict) else []
    return {pointer.rpartition("/")[2] for pointer in own}.union(*(listed(part) for part in inner))


def test_every_key_of_a_scenario_outside_lists_can_be_set_and_varied() -> None:
    ends = {path.rpartition(".")[2] for path in PATHS}
    parts = scenario_schema()["$defs"]
    sections = {name for name in parts.keys() - listed(SCHEMA) if "properties" in parts[name]}
    assert {"Mobility", "Workload", "Disconnect"} <= sections
    for name in sections:
        assert set(SCHEMA["$defs"][name]["properties"]) <= ends
    vary = SCHEMA["properties"]["vary"]["properties"]
    assert set(PATHS) - set(vary) == {"seed", "trace", "oracle"}
    assert set(vary) - set(PATHS) == {"together"}


@pytest.mark.parametrize("key", sorted(SCHEMA["properties"]))
def test_every_key_of_a_sweep_is_described(key: str) -> None:
    assert SCHEMA["properties"][key]["description"].endswith(".")


def test_every_example_in_the_schema_passes_the_schema() -> None:
    for key in ("scenario", "set", "vary", "replications"):
        for example in SCHEMA["properties"][key]["examples"]:
            assert VALIDATOR.is_valid({"scenario": {}, key: example})


def test_the_command_prints_the_requested_schema(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema", "sweep"]) == 0
    assert json.loads(capsys.readouterr().out) == SCHEMA
    assert main(["schema", "scenario"]) == 0
    assert json.loads(capsys.readouterr().out)["title"] == "A mobilesim scenario"
