"""Studies of variants, from files and from the command line: their plans and their error lines."""

import json
from pathlib import Path
from typing import Any, Final

import pytest

from mobilesim.cli.main import main
from mobilesim.errors import UserError
from mobilesim.experiments.sweep.plan import DEFAULT_REPLICATIONS, Plan, make_plan
from mobilesim.experiments.sweep.task import run_job
from mobilesim.results.sweeps.sweep_directory import open_sweep
from mobilesim.scenario import bundled
from mobilesim.scenario.loader import Change
from mobilesim.scenario.sweeps.sweep_file import load, loads
from tests.support.scenario_purposes import PURPOSES

BASE: Final = "scenario: {hosts: 6, cells: 4, messages: 60, protocols: [av1, rst]}\n"
JUMPING: Final = "scenario: {hosts: 6, cells: {shape: hex, rows: 2, columns: 2}, mobility: {dwell: 1 s}}\n"


def planned(text: str, **options: Any) -> Plan:  # noqa: ANN401 - the options of loads
    return make_plan(loads(text, "s.yaml", **options))


def points(found: Plan) -> dict[str, Any]:
    return {point.label["variant"]: point.scenario for point in found.grid.points}


def test_every_variant_is_a_point_beside_the_unchanged_scenario() -> None:
    found = points(
        planned(f"{BASE}variants: {{few: {{hosts: 4}}, slow: {{wireless.bandwidth: 256 kbit/s, hosts: 5}}}}")
    )
    assert list(found) == ["base", "few", "slow"]
    assert [each.hosts for each in found.values()] == [6, 4, 5]
    assert [each.wireless.bandwidth == 256_000 for each in found.values()] == [False, False, True]


def test_a_variant_with_a_protocol_has_only_this_protocol() -> None:
    found = points(planned(f"{BASE}variants: {{two: {{protocol: av2}}, some: {{protocols: [av3, proxy+fifo]}}}}"))
    labels = {name: [choice.label for choice in each.protocols] for name, each in found.items()}
    assert labels == {"base": ["av1", "rst"], "two": ["av2"], "some": ["av3", "fifo"]}


def test_every_variant_is_run_at_every_varied_point() -> None:
    found = planned(f"{BASE}vary: {{hosts: [4, 5]}}\nvariants: {{slow: {{wireless.latency: 9 ms}}}}")
    labels = [tuple(point.label.values()) for point in found.grid.points]
    assert labels == [("base", "4"), ("base", "5"), ("slow", "4"), ("slow", "5")]


def test_the_short_form_of_a_study_has_all_variants() -> None:
    text = f"{BASE}variants: {{a: {{hosts: 4}}, b: {{hosts: 5}}, c: {{hosts: 7}}}}"
    assert list(points(planned(text, quick=True))) == ["base", "a", "b", "c"]


@pytest.mark.parametrize(
    ("result", "expected"),
    (("", DEFAULT_REPLICATIONS), ("replications: 3", 3), ("set: {messages: 50}", DEFAULT_REPLICATIONS)),
)
def test_a_study_has_a_default_number_of_replications(result: str, expected: int) -> None:
    found = planned(f"{BASE}variants: {{few: {{hosts: 4}}}}\n{result}")
    assert found.replications.at_least == found.replications.at_most == expected


def test_a_resolved_study_is_read_back() -> None:
    text = f"{BASE}set: {{seed: 4}}\nvariants: {{'a, b': {{protocol: {{name: av3, k: 3}}, hosts: 5}}, c: {{hosts: 9}}}}"
    first = planned(text, given={"d": {"wireless.latency": Change("3 ms", "--set wireless.latency")}})
    second = planned(first.resolved_text)
    assert [cell.run(0) for cell in first.configurations] == [cell.run(0) for cell in second.configurations]
    assert [point.text for point in first.grid.points] == [point.text for point in second.grid.points]
    assert len(first.grid.points) == 4


@pytest.mark.parametrize("name", bundled.studies())
def test_every_shipped_study_is_valid(name: str) -> None:
    found = make_plan(load(bundled.find_study(name)))
    assert found.sweep.name == name.removeprefix("what-if/")
    assert found.grid.left_out == ()
    assert len(found.grid.points) > 1


@pytest.mark.full
@pytest.mark.parametrize("name", bundled.studies())
def test_the_short_form_of_every_shipped_study_shows_its_purpose(name: str, tmp_path: Path) -> None:
    found = make_plan(load(bundled.find_study(name), quick=True))
    with open_sweep(tmp_path, found.resolved_text, found.all_runs()) as store:
        for job in found.jobs(found.rule(store)):
            assert job.replication or run_job(job).verdict == "ok"
    assert [shows(tmp_path) for shows in PURPOSES[name]] == [True] * len(PURPOSES[name])


@pytest.mark.parametrize(
    ("text", "line"),
    (
        ("variants: {}", "s.yaml:2: variants: there are no variants; write names"),
        ("variants: 3", "s.yaml:2: variants: there are no variants; write names"),
        ("variants: {slow: 3}", "s.yaml:2: variants.slow: it changes nothing; write keys of the scenario below it"),
        ("variants: {slow: {}}", "s.yaml:2: variants.slow: it changes nothing; "),
        ("variants: {base: {hosts: 3}}", "s.yaml:2: variants.base: 'base' is the unchanged scenario; "),
        ("variants: {slow: {hots: 3}}", "s.yaml:2: variants.slow.hots: unknown key; did you mean 'hosts'?"),
        ("variants: {slow: {hosts: x}}", "s.yaml:2: variants.slow.hosts: "),
        ("variants: {slow: {seed: 3}}", "s.yaml:2: variants.slow.seed: base and variants have the same random numbers"),
        (
            "variants: {slow: {trace: false}}",
            "s.yaml:2: variants.slow.trace: a summary needs the trace; leave this key out",
        ),
        ("variants: {slow: {replications: 3}}", "s.yaml:2: variants.slow.replications: write 'replications' beside"),
        ("variants: {a: {protocol: av9}}", "s.yaml:2: variants.a.protocol: there is no protocol 'av9'"),
        (
            "variants: {a: {protocol: av2, protocols: [av3]}}",
            "s.yaml:2: variants.a.protocols: 'protocol' is written, too",
        ),
        (
            "variants: {a: {protocols: [av1, av2]}}",
            "s.yaml: two points are the same scenario under av1: variant=base, and",
        ),
        ("variants: {a: {hosts: 6}}", "s.yaml: two points are the same scenario: variant=base, and variant=a; "),
        ("vary: {hosts: [4, 5]}\nvariants: {a: {hosts: 9}}", "s.yaml:3: variants.a.hosts: the sweep varies 'hosts'; "),
        (
            "vary: {mobility.dwell: [1 s, 2 s]}\nvariants: {a: {mobility: {dwell: 4 s}}}",
            "s.yaml:3: variants.a.mobility: the sweep varies 'mobility.dwell'; ",
        ),
        ("vary: {variant: [1, 2]}\nvariants: {a: {hosts: 9}}", "s.yaml:2: vary.variant: this key varies already"),
    ),
)
def test_a_mistake_in_a_study_causes_one_error_line(text: str, line: str) -> None:
    with pytest.raises(UserError) as raised:
        planned(f"{BASE}{text}")
    assert str(raised.value).startswith(line)
    assert "\n" not in str(raised.value)


def dry_run(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main(["what-if", *arguments, "--dry-run", "--json"]) == 0
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_set_options_form_one_variant_named_by_their_text(capsys: pytest.CaptureFixture[str]) -> None:
    output = dry_run(capsys, "quickstart", "--set", "hosts=20", "--set", "protocol=av2", "--replications", "4")
    assert [point["point"]["variant"] for point in output["points"]] == ["base", "hosts=20, protocol=av2"]
    assert [point["runs"] for point in output["points"]] == [16, 4]
    assert output["results"] == "results/quickstart-hosts-20-protocol-av2"


def test_named_variants_have_any_number_of_keys(capsys: pytest.CaptureFixture[str]) -> None:
    output = dry_run(
        capsys,
        *("quickstart", "--protocol", "av1", "--base", "hosts=9"),
        *("--variant", "a: wireless.bandwidth=1 Mbit/s, groups=null, workload.payload=9 B"),
        *("--variant", "b: cells={rows: 2, columns: 3}", "--variant", "a:hosts=8"),
    )
    assert [(point["point"]["variant"], point["runs"]) for point in output["points"]] == [
        ("base", 10),
        ("a", 10),
        ("b", 10),
    ]


@pytest.mark.parametrize(
    ("arguments", "hint"),
    (
        (("--set", "mobility.model=waypoint"), "--set 'mobility={model: waypoint}'"),
        (("--base", "mobility.model=waypoint", "--set", "hosts=20"), "--base 'mobility={model: waypoint}'"),
        (("--variant", "a: mobility.model=waypoint"), "--variant 'a: mobility={model: waypoint}'"),
    ),
)
def test_a_changed_trajectory_is_refused_with_the_accepted_option(
    arguments: tuple[str, ...], hint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["what-if", "quickstart", *arguments, "--dry-run"]) == 2
    assert capsys.readouterr().err.endswith(f", or leave this key out; {hint} replaces the whole section\n")
    option, written = hint[:-1].split(" '")
    dry_run(capsys, "quickstart", option, written, *arguments[2:])


def test_the_error_of_a_study_file_names_the_key_to_write() -> None:
    with pytest.raises(UserError, match=r"'mobility: \{model: waypoint\}' replaces the whole section$"):
        planned(f"{JUMPING}variants: {{a: {{mobility.model: waypoint}}}}")
    planned(f"{JUMPING}variants: {{a: {{mobility: {{model: waypoint}}}}}}")


@pytest.mark.parametrize("more", ((), ("--set", "hosts=3")))
@pytest.mark.parametrize(
    ("text", "line"),
    (
        (
            "scenario: quickstart\nvariants:\n  a: {hosts: 3}\n  a: {hosts: 4}\n",
            ":4: variants.a: this key occurs twice",
        ),
        ("scenario: quickstart\nvariants: {a: {hosts: 3}\n", ":3: not valid YAML: "),
        ("", ": it is empty; `mobilesim init` writes a scenario to start from"),
        ("hosts: x\n", ":1: hosts: 'x' is not a whole number"),
    ),
)
def test_mistakes_of_the_file_are_reported_first(
    text: str, line: str, more: tuple[str, ...], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "s.yaml"
    file.write_text(text)
    assert main(["what-if", str(file), *more, "--dry-run"]) == 2
    err = capsys.readouterr().err
    assert err.startswith(f"mobilesim: {file}{line}")
    assert err.count("\n") == 1


def test_the_command_adds_variants_to_a_study_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "s.yaml").write_text(f"{BASE}variants: {{few: {{hosts: 4}}}}")
    output = dry_run(capsys, str(tmp_path / "s.yaml"), "--variant", "slow: wireless.latency=9 ms")
    assert [point["point"]["variant"] for point in output["points"]] == ["base", "few", "slow"]


@pytest.mark.parametrize(
    ("arguments", "line"),
    (
        (
            ("quickstart",),
            "quickstart: there is no variant; write --set KEY=VALUE, or a study file with 'variants'",
        ),
        (
            ("quickstrat", "--set", "hosts=3"),
            "quickstrat: no such file, and no bundled study or scenario has that name; ",
        ),
        (("quickstart", "--set", "hots=3"), "--set hots: unknown key; did you mean 'hosts'?"),
        (("quickstart", "--set", "hosts"), "--set hosts: write KEY=VALUE, like --set hosts=100"),
        (("quickstart", "--base", "hosts"), "--base hosts: write KEY=VALUE, like --base hosts=100"),
        (("quickstart", "--set", "protocol=av9"), "--set protocol: there is no protocol 'av9'"),
        (("quickstart", "--set", "seed=9"), "--set seed: base and variants have the same random numbers; "),
        (("quickstart", "--variant", "slow"), "--variant slow: write NAME: KEY=VALUE, like --variant 'slow: "),
        (("quickstart", "--variant", "hosts=3: 4"), "--variant hosts=3: 4: write NAME: KEY=VALUE"),
        (("quickstart", "--variant", "base: hosts=3"), "--variant base: hosts=3: 'base' is the unchanged scenario; "),
        (("quickstart", "--variant", "a: hosts=x"), "--variant a: hosts: "),
        (
            ("quickstart", "--variant", "a: hosts=3, hosts=4"),
            "--variant a: hosts: this key occurs twice; leave one of the two out",
        ),
        (
            ("quickstart", "--variant", "a: hosts=3", "--variant", "a: hosts=4"),
            "--variant a: hosts: this key occurs twice; leave one of the two out",
        ),
        (("quickstart", "--set", "hosts=3", "--set", "hosts=4"), "--set hosts: this key occurs twice; "),
        (("quickstart", "--set", "hosts=3", "--base", "hots=4"), "--base hots: unknown key; did you mean 'hosts'?"),
        (("quickstart", "--set", "hosts=x", "--base", "hosts=4"), "--set hosts: 'x' is not a whole number"),
        (("quickstart", "--set", "hosts=3", "--replications", "0"), "--replications: 0 is not a number of repl"),
        (
            ("quickstart", "--set", "hosts=3", "--replications", "3", "--base", "replications=4"),
            "--replications: --base replications is written, too; leave one of the two out",
        ),
        (("quickstart", "--set", "hosts=3", "--protocol", "av9"), "--protocol: there is no protocol 'av9'"),
        (("quickstart", "--set", "hosts=3", "--protocol", "av3 k=99"), "--protocol: k: 99 is not a whole number in"),
        (
            ("sweeps/mobility.yaml",),
            f"{bundled.SCENARIOS}/sweeps/mobility.yaml: there are no 'variants' in this sweep; ",
        ),
    ),
)
def test_bad_arguments_cause_one_error_line(
    arguments: tuple[str, ...], line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["what-if", *arguments, "--dry-run"]) == 2
    err = capsys.readouterr().err
    assert err.startswith(f"mobilesim: {line}")
    assert err.count("\n") == 1


def test_a_study_given_to_another_command_causes_one_error_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study = tmp_path / "s.yaml"
    study.write_text(f"{BASE}variants: {{few: {{hosts: 4}}}}")
    assert main(["run", str(study)]) == 2
    assert capsys.readouterr().err == (
        f"mobilesim: {study}:2: these are variants of a scenario; `mobilesim what-if` runs them\n"
    )
