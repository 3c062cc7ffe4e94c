"""The benchmarks run and report their measurements. No test depends on a speed."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.programs import CALLBACKS, COMPONENTS, FEW_HOSTS, PROCESSES, PROGRAMS, BenchmarkResult, Measurement
from benchmarks.result_table import TARGETS, document, lines
from benchmarks.simpy_programs import CallbackPerHop, ProcessPerMessage

ROOT = Path(__file__).resolve().parents[2]


def bench(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "benchmarks", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def result(name: str, *microseconds: float) -> BenchmarkResult:
    return BenchmarkResult(
        name, tuple(Measurement(each, ((100, 2_000_000), (200, 3_000_000))) for each in microseconds)
    )


@pytest.mark.full
def test_programs_run_alternately_and_print_a_table() -> None:
    names = (PROCESSES, CALLBACKS, "fifo-bare", "av1-trace")
    done = bench("--messages", "200", "--rounds", "2", *(word for name in names for word in ("--only", name)))
    assert done.returncode == 0, done.stderr
    steps = [line.split()[1].rstrip(":") for line in done.stderr.splitlines()]
    assert steps == [*names, *names]
    rows = done.stdout.splitlines()
    assert [row.split()[0] for row in rows[1:5]] == list(names)
    assert "fifo without oracle, and SimPy with callbacks" in done.stdout
    assert "peak memory of av1-trace" in done.stdout


@pytest.mark.full
def test_the_json_document_has_every_round() -> None:
    done = bench("--messages", "200", "--rounds", "2", "--only", CALLBACKS, "--json")
    found = json.loads(done.stdout)
    assert found["messages"] == 200
    assert len(found["microseconds"][CALLBACKS]) == 2


def test_ns_py_delivers_every_message_if_installed() -> None:
    components = pytest.importorskip("benchmarks.nspy_program").NsPyNetwork
    assert components(300).run() == 300


@pytest.mark.parametrize("program", (ProcessPerMessage, CallbackPerHop))
def test_the_baselines_deliver_every_message(program: type[ProcessPerMessage | CallbackPerHop]) -> None:
    assert program(300).run() == 300


def test_both_simpy_programs_simulate_the_same_traffic_and_end_in_the_same_state() -> None:
    ends = []
    for program in (ProcessPerMessage(300), CallbackPerHop(300)):
        program.run()
        ends.append((program.environment.now, program.links.free))
    assert ends[0] == ends[1]


@pytest.mark.full
@pytest.mark.parametrize("arguments", (("--messages", "0"), ("--rounds", "x"), ("--only", "nobody")))
def test_invalid_arguments_are_refused(arguments: tuple[str, str]) -> None:
    done = bench(*arguments)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith("python -m benchmarks: error:")


def test_a_target_is_judged_by_medians() -> None:
    results = {
        COMPONENTS: result(COMPONENTS, 30, 40, 50),
        "av1-trace": result("av1-trace", 39, 41, 60),
        "av1-oracle": result("av1-oracle", 35),
    }
    targets = {target["what"]: (target["ratio"], target["met"]) for target in document(results, 200)["targets"]}
    assert targets == {
        "av1 with oracle and trace, and three hops in ns.py": (41 / 40, False),
        "av1 with and without trace": (41 / 35, True),
    }
    text = "\n".join(lines(results))
    assert "three hops in ns.py: 1.02 (target: at most 1) missed" in text
    assert "peak memory of ns.py: 2 MB by 100 messages, 3 MB by 200 messages" in text


def test_every_target_compares_two_programs_of_the_benchmark() -> None:
    assert {name for _, one, other, _ in TARGETS for name in (one, other)} <= set(PROGRAMS)
    assert FEW_HOSTS in PROGRAMS
