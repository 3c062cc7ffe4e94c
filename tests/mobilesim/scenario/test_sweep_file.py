"""Sweep files: valid contents, and the error line of each mistake."""

from pathlib import Path

import pytest

from mobilesim.errors import UserError
from mobilesim.experiments.sweep.plan import make_plan
from mobilesim.experiments.sweep.points import Grid, build_grid, label_text
from mobilesim.scenario import bundled
from mobilesim.scenario.sweeps.replications import Replications
from mobilesim.scenario.sweeps.sweep_file import load, loads


def points(text: str) -> Grid:
    return build_grid(loads(text, "s.yaml"))


def labels(text: str) -> list[str]:
    return [label_text(point.label) for point in points(text).points]


def varied(text: str, key: str = "hosts") -> list[str]:
    return [point.label[key] for point in points(f"scenario: {{}}\nvary: {{{key}: {text}}}").points]


def test_varied_keys_form_a_grid_in_the_order_of_the_file() -> None:
    assert labels("scenario: {}\nvary: {hosts: [10, 20], mobility.dwell: [1 s, 5 s]}") == [
        "hosts=10, mobility.dwell=1 s",
        "hosts=10, mobility.dwell=5 s",
        "hosts=20, mobility.dwell=1 s",
        "hosts=20, mobility.dwell=5 s",
    ]


def test_keys_that_vary_together_change_in_step() -> None:
    text = "scenario: {}\nvary:\n  together: [{cells: [4, 9], hosts: [10, 40]}]\n  wireless.latency: [1 ms, 2 ms]"
    assert labels(text) == [
        "cells=4, hosts=10, wireless.latency=1 ms",
        "cells=4, hosts=10, wireless.latency=2 ms",
        "cells=9, hosts=40, wireless.latency=1 ms",
        "cells=9, hosts=40, wireless.latency=2 ms",
    ]


@pytest.mark.parametrize(
    ("key", "text", "expected"),
    (
        ("hosts", "{from: 10, to: 40, step: 10}", ["10", "20", "30", "40"]),
        ("hosts", "{from: 10, to: 45, step: 20}", ["10", "30"]),
        ("hosts", "{from: 10, to: 1000, steps: 5, scale: log}", ["10", "32", "100", "316", "1000"]),
        ("hosts", "{from: 2, to: 4, steps: 9}", ["2", "3", "4"]),
        ("mobility.dwell", "{from: 1 s, to: 2 s, step: 0.5 s}", ["1 s", "1.5 s", "2 s"]),
        ("mobility.dwell", "{from: 1 s, to: 10 s, steps: 3, scale: log}", ["1 s", "3.16 s", "10 s"]),
        ("mobility.disconnect.probability", "{from: 0, to: 0.3, step: 0.1}", ["0", "0.1", "0.2", "0.3"]),
        ("workload.selectivity", "{from: 10 %, to: 90 %, steps: 3}", ["10 %", "50 %", "90 %"]),
        ("mobility.disconnect", "[{probability: 0.5}, {}]", ['{"probability": 0.5}', "{}"]),
        ("wireless.beacon", "[10 ms, '1 s']", ["10 ms", "1 s"]),
    ),
)
def test_the_values_of_a_key_are_a_list_or_a_range(key: str, text: str, expected: list[str]) -> None:
    assert varied(text, key) == expected


def test_a_point_is_the_scenario_with_the_set_and_varied_values() -> None:
    sweep = (
        "scenario: {hosts: 5, seed: 3}\nset: {messages: 40}\nvary: {cells: [4, 9]}\nprotocols: [av2, {name: av3, k: 3}]"
    )
    first, second = (point.scenario for point in points(sweep).points)
    assert (first.hosts, first.seed, first.messages, first.duration) == (5, 3, 40, None)
    assert [first.cells.count, second.cells.count] == [4, 9]
    assert [choice.label for choice in second.protocols] == ["av2", "av3 k=3"]


def test_a_scenario_beside_the_sweep_precedes_a_shipped_one(tmp_path: Path) -> None:
    (tmp_path / "quickstart").write_text("hosts: 3", encoding="utf-8")
    (tmp_path / "sweep.yaml").write_text("scenario: quickstart", encoding="utf-8")
    (point,) = build_grid(load(tmp_path / "sweep.yaml")).points
    assert point.scenario.hosts == 3


def test_varied_files_are_relative_to_the_sweep_and_keep_their_names(tmp_path: Path) -> None:
    head = '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="undirected">'
    for name in "ab":
        graph = f'{head}<node id="{name}"/></graph></graphml>'
        (tmp_path / f"{name}.graphml").write_text(graph, encoding="utf-8")
    text = "scenario: {backbone: {topology: graphml}}\nvary: {backbone.file: [a.graphml, b.graphml]}"
    (tmp_path / "sweep.yaml").write_text(text, encoding="utf-8")
    sweep = load(tmp_path / "sweep.yaml")
    assert [point.label["backbone.file"] for point in build_grid(sweep).points] == ["a.graphml", "b.graphml"]
    again = build_grid(loads(sweep.settled()))
    assert [point.scenario.hash for point in again.points] == [
        point.scenario.hash for point in build_grid(sweep).points
    ]


def test_incompatible_combinations_are_omitted_and_reported() -> None:
    found = points("scenario: {}\nvary: {cells: [1, 4], mobility.model: [static, cell-jump]}")
    assert [label_text(point.label) for point in found.points] == [
        "cells=1, mobility.model=static",
        "cells=4, mobility.model=static",
        "cells=4, mobility.model=cell-jump",
    ]
    (left_out,) = found.left_out
    assert label_text(left_out.label) == "cells=1, mobility.model=cell-jump"
    assert left_out.error.startswith("s.yaml:2: vary.cells[0]: hosts cannot leave a single cell")


def test_a_short_form_has_the_end_points_of_every_axis_and_short_runs() -> None:
    text = "scenario: quickstart\nvary: {hosts: [10, 20, 30], messages: [2000, 3000]}\nreplications: 9"
    short = make_plan(loads(text, quick=True))
    assert [point.label["hosts"] for point in short.grid.points] == ["10", "30"]
    assert {point.scenario.messages for point in short.grid.points} == {1000}
    assert short.replications.at_least == 2


def test_a_resolved_sweep_is_read_back_with_the_same_points() -> None:
    text = (
        "name: mine\nscenario: quickstart\nset: {duration: 3 s}\nprotocols: [av1, {name: av3, k: 3}]\nvary:\n"
        "  together: {hosts: [10, 20], cells: [4, 9]}\n  mobility.dwell: {from: 1 s, to: 3 s, step: 1 s}\n"
        "replications: {at_least: 4, at_most: 7, until: {delay: 2.5 %}}"
    )
    for quick in (False, True):
        once = make_plan(loads(text, quick=quick, overrides={"seed": "9"}))
        again = make_plan(loads(once.resolved_text))
        assert again.resolved_text == once.resolved_text
        assert again.all_runs().keys() == once.all_runs().keys()
        assert again.sweep.name == "mine"


def test_replications_come_from_the_command_the_sweep_or_the_scenario() -> None:
    own = "scenario: {replications: 4}"
    assert make_plan(loads(own)).replications.at_least == 4
    assert make_plan(loads(f"{own}\nreplications: 6")).replications.at_least == 6
    assert make_plan(loads(f"{own}\nreplications: 6", overrides={"replications": "2"})).replications.at_least == 2
    until = make_plan(loads(f"{own}\nreplications: {{until: {{delay: 5 %, inhibition: 10 %}}}}")).replications
    assert until == Replications.model_validate({"until": {"delay": "5 %", "inhibition": "10 %"}})


@pytest.mark.full
@pytest.mark.parametrize("name", bundled.sweeps())
def test_a_shipped_sweep_omits_no_point_and_its_short_form_has_two_or_more(name: str) -> None:
    sweep = load(bundled.find_sweep(name))
    assert not build_grid(sweep).left_out
    assert f"sweeps/{sweep.name}" == name
    short = make_plan(load(bundled.find_sweep(name), quick=True))
    assert 2 <= len(short.grid.points) <= len(build_grid(sweep).points)


def test_the_sweep_of_mobility_has_at_least_200_runs() -> None:
    assert len(make_plan(load(bundled.find_sweep("mobility"))).all_runs()) >= 200


@pytest.mark.parametrize(
    ("text", "line"),
    (
        ("", "s.yaml: it is empty; write 'scenario: quickstart' and the varied keys below 'vary:'"),
        ("[1]", "s.yaml: a sweep is not a list; write 'scenario: quickstart' and the varied keys below 'vary:'"),
        ("scenario: {\n", "s.yaml:2: not valid YAML"),
        ("vary: {}", "s.yaml:1: scenario: 'scenario' is missing; write the name of a bundled scenario"),
        ("scenario: 5", "s.yaml:1: scenario: 5 is not a scenario; write"),
        ("scenario: quickstrat", "s.yaml:1: scenario: quickstrat: no such file"),
        ("scenario: {}\nvarry: {}", "s.yaml:2: varry: unknown key; did you mean 'vary'?"),
        ("scenario: {}\nhosts: 5", "s.yaml:2: hosts: unknown key; it is a key of scenarios: write it below 'set'"),
        ("scenario: {}\nvary: 3", "s.yaml:2: vary: 3 is not a mapping"),
        ("scenario: {hosts: 5,\n seeds: 3}", "s.yaml:2: seeds: unknown key; did you mean 'seed'?"),
        ("scenario: {}\nset:\n  hots: 3", "s.yaml:3: set.hots: unknown key; did you mean 'hosts'?"),
        ("scenario: {}\nset: {trace: false}", "s.yaml:2: set.trace: a summary needs the trace; leave this key out"),
        ("scenario: {oracle: false}", "s.yaml: its scenario turns off the trace or the oracle"),
        ("scenario: {}\nset: {hosts: 5}\nvary: {hosts: [6]}", "s.yaml:2: set.hosts: the sweep varies 'hosts'"),
        ("scenario: {}\nvary:\n  hosts:\n  - 10\n  - x", "s.yaml:5: vary.hosts[1]: 'x' is not a whole number"),
        ("scenario: {}\nvary:\n  hosts:", "s.yaml:3: vary.hosts: it is empty; write a list"),
        ("scenario: {}\nvary: {hosts: 10}", "s.yaml:2: vary.hosts: 10 is not a list of values"),
        ("scenario: {}\nvary: {hosts: [10, 10]}", "s.yaml:2: vary.hosts[1]: 10 occurs twice"),
        ("scenario: {}\nvary: {nothing: [1]}", "s.yaml:2: vary.nothing[0]: unknown key"),
        ("scenario: {}\nvary: {seed: [1, 2]}", "s.yaml:2: vary.seed: replications have different random numbers"),
        ("scenario: {}\nvary: {protocols: [av1]}", "s.yaml:2: vary.protocols: write 'protocols' beside 'vary'"),
        (
            "scenario: {}\nvary: {cells: [4], cells.rows: [3]}",
            "s.yaml:2: vary.cells.rows: 'cells' varies, and one of the two keys is",
        ),
        (
            "scenario: {}\nvary: {together: {cells: [4], hosts: [2, 3]}}",
            "s.yaml:2: vary.together: keys that vary together",
        ),
        ("scenario: {}\nvary: {together: [3]}", "s.yaml:2: vary.together: 3 is not a mapping"),
        (
            "scenario: {}\nvary: {cells: [9, {rows: 3}]}",
            "s.yaml: two points are the same scenario: cells=9, and cells=",
        ),
        ("scenario: {}\nvary: {hosts: {from: 5, to: 2, step: 1}}", "s.yaml:2: vary.hosts.to: 2 is less than 5"),
        ("scenario: {}\nvary: {hosts: {from: 5, to: 9}}", "s.yaml:2: vary.hosts: write either 'step', the difference"),
        ("scenario: {}\nvary: {hosts: {from: 5, step: 1}}", "s.yaml:2: vary.hosts: 'to' is missing"),
        ("scenario: {}\nvary: {hosts: {from: 5, to: 9, stop: 1}}", "s.yaml:2: vary.hosts.stop: unknown key; did you"),
        ("scenario: {}\nvary: {hosts: {from: 5, to: 9, step: 0}}", "s.yaml:2: vary.hosts.step: 0 is not a step"),
        ("scenario: {}\nvary: {hosts: {from: 1, to: 99999, step: 1}}", "s.yaml:2: vary.hosts.step: 99999 values are"),
        (
            "scenario: {}\nvary: {hosts: {from: 0, to: 9, steps: 3, scale: log}}",
            "s.yaml:2: vary.hosts.from: a logarith",
        ),
        (
            "scenario: {}\nvary: {mobility.dwell: {from: 1 s, to: 9 ms, step: 1 s}}",
            "s.yaml:2: vary.mobility.dwell.to: ",
        ),
        (
            "scenario: {}\nprotocols:\n- av1\n- avv2",
            "s.yaml:4: protocols[1]: there is no protocol 'avv2'; did you mean",
        ),
        ("scenario: {}\nreplications: 0", "s.yaml:2: replications: 0 is not a number of replications"),
        (
            "scenario: {}\nreplications: {at_most: 5}",
            "s.yaml:2: replications: write metrics and their precision below 'until' or 'differences'",
        ),
        ("scenario: {}\nreplications: {until: {delai: 5 %}}", "s.yaml:2: replications.until.delai: there is no such"),
        ("scenario: {}\nreplications: {until: {delay: 5}}", "s.yaml:2: replications.until.delay: 5 is not a share"),
        (
            "scenario: {}\nreplications: {until: {delay: 5 %}, at_most: 1}",
            "s.yaml:2: replications.at_most: 1 is too little; write 4 or more",
        ),
        (
            "scenario: {}\nreplications: {decide: [delai]}",
            "s.yaml:2: replications.decide[0]: 'delai' is no mean that decides; did you mean 'delay'?",
        ),
        ("scenario: {}\nname: ''", "s.yaml:2: name: '' is not a text of at least one character"),
        ("scenario: {}\nquick: 1", "s.yaml:2: quick: 1 is not true or false"),
        (
            "scenario: {}\nquick: 40 s",
            "s.yaml:2: quick: '40 s' is not true or false; write 'quick_duration' below 'set'",
        ),
    ),
)
def test_an_invalid_sweep_causes_one_error_line_with_its_place(text: str, line: str) -> None:
    with pytest.raises(UserError) as caught:
        make_plan(loads(text, "s.yaml"))
    assert str(caught.value).startswith(line)
    assert "\n" not in str(caught.value)


def test_all_mistakes_of_a_sweep_are_reported() -> None:
    text = "scenario: {}\nnumber: 3\nreplications: 0\nquick: 1"
    with pytest.raises(UserError) as caught:
        loads(text, "s.yaml")
    assert [message[:23] for message in caught.value.messages] == [
        "s.yaml:2: number: unkno",
        "s.yaml:3: replications:",
        "s.yaml:4: quick: 1 is n",
    ]
    text = "scenario: {}\nset: {name: x}\nvary:\n  hosts: {from: 9, to: 5, steps: 2}\n  seed: [1]\n  cells: 3"
    with pytest.raises(UserError) as caught:
        loads(text, "s.yaml")
    assert [message[:24] for message in caught.value.messages] == [
        "s.yaml:2: set.name: writ",
        "s.yaml:4: vary.hosts.to:",
        "s.yaml:5: vary.seed: rep",
        "s.yaml:6: vary.cells: 3 ",
    ]


@pytest.mark.parametrize("more", ("", "replications: -3\n"))
def test_mistakes_in_the_scenario_of_a_sweep_are_reported_with_those_of_its_own_keys(more: str) -> None:
    text = (
        "scenario: quickstart\nset:\n  cels: 16\n  duration: 20 sek\nprotocols: [av9]\n"
        f"vary:\n  hosts: [10, x]\n  wireless.bandwith: [1 Mbit/s]\n{more}"
    )
    with pytest.raises(UserError) as caught:
        make_plan(loads(text, "s.yaml"))
    assert [message[:23] for message in caught.value.messages] == [
        "s.yaml:3: set.cels: unk",
        "s.yaml:4: set.duration:",
        "s.yaml:5: protocols[0]:",
        "s.yaml:7: vary.hosts[1]",
        "s.yaml:8: vary.wireless",
        *(["s.yaml:9: replications:"] if more else []),
    ]


def test_an_unknown_scenario_and_a_wrong_value_of_a_sweep_are_reported_together() -> None:
    with pytest.raises(UserError) as caught:
        loads("scenario: quickstrat\nreplications: 0", "s.yaml")
    assert [message[:23] for message in caught.value.messages] == ["s.yaml:1: scenario: qui", "s.yaml:2: replications:"]


def test_mistakes_in_two_variants_are_reported_together() -> None:
    text = "scenario: quickstart\nvariants:\n  few: {hots: 3}\n  slow: {duration: 20 sek}\n"
    with pytest.raises(UserError) as caught:
        make_plan(loads(text, "s.yaml"))
    assert [message[:30] for message in caught.value.messages] == [
        "s.yaml:3: variants.few.hots: u",
        "s.yaml:4: variants.slow.durati",
    ]


@pytest.mark.parametrize(
    ("key", "value", "line"),
    (
        ("hosts", "9", "--set hosts: the sweep varies 'hosts'; leave one of the two out"),
        ("hots", "9", "--set hots: unknown key; did you mean 'hosts'?"),
        ("oracle", "false", "--set oracle: a summary needs the oracle; leave this key out"),
        ("replications", "x", "--set replications: 'x' is not a number of replications"),
        ("protocols", "[av9]", "--set protocols[0]: there is no protocol 'av9'"),
    ),
)
def test_an_impossible_option_of_the_command_causes_one_error_line(key: str, value: str, line: str) -> None:
    with pytest.raises(UserError) as caught:
        make_plan(loads("scenario: quickstart\nvary: {hosts: [10, 20]}", overrides={key: value}))
    assert str(caught.value).startswith(line)


def test_a_sweep_in_another_folder_finds_its_scenarios_track(tmp_path: Path) -> None:
    file = tmp_path / "s.yaml"
    file.write_text("scenario: mobility/track\nvary: {hosts: [3, 4]}\n")
    assert [point.scenario.hosts for point in make_plan(load(file)).grid.points] == [3, 4]
