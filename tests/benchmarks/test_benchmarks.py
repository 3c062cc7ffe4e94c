"""The benchmarks run and report their measurements. No test depends on a speed."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.fresh_process import COMPILED, PURE, cores, run_module
from benchmarks.programs import (
    CALLBACKS,
    COMPONENTS,
    FEW_HOSTS,
    LIMIT,
    PROCESSES,
    PROGRAMS,
    BenchmarkResult,
    Measurement,
    label,
    variants,
)
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
    labels = [PROCESSES, CALLBACKS, "fifo-bare/pure", "av1-trace/pure"]
    only = (word for name in names for word in ("--only", name))
    done = bench("--messages", "200", "--rounds", "2", "--core", PURE, *only)
    assert done.returncode == 0, done.stderr
    steps = [line.split()[1].rstrip(":") for line in done.stderr.splitlines()]
    assert steps == [*labels, *labels]
    rows = done.stdout.splitlines()
    assert [row.split()[0] for row in rows[1 : 1 + len(labels)]] == labels
    assert "fifo without oracle, and SimPy with callbacks, pure" in done.stdout
    assert "peak memory of av1-trace/pure" in done.stdout


def test_a_program_of_mobilesim_is_measured_with_both_cores_one_after_the_other() -> None:
    found = [variant.label for variant in variants((CALLBACKS, "av1-trace"), (COMPILED, PURE))]
    assert found == [CALLBACKS, "av1-trace/compiled", "av1-trace/pure"]


@pytest.mark.full
@pytest.mark.parametrize("core", cores())
def test_a_fresh_process_runs_with_the_core_that_was_asked_for(core: str) -> None:
    assert run_module("benchmarks.one_program", [CALLBACKS, "10"], core)["core"] == core


@pytest.mark.full
@pytest.mark.skipif(COMPILED in cores(), reason="the compiled core runs")
def test_without_the_compiled_core_it_cannot_be_measured() -> None:
    done = bench("--core", COMPILED)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].endswith("the compiled core is not on the path; `make bench` puts it there")


@pytest.mark.full
def test_without_a_c_compiler_the_program_in_c_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CC", raising=False)
    done = bench("--messages", "200", "--rounds", "1", "--only", LIMIT)
    assert (done.returncode, done.stderr) == (0, "limit.c is left out: there is no C compiler\n")


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


def test_a_target_is_judged_by_the_median_of_the_ratios_of_rounds() -> None:
    results = {
        COMPONENTS: result(COMPONENTS, 100, 200, 300),
        "av1-trace/compiled": result("av1-trace/compiled", 20, 80, 60),
        "av1-trace/pure": result("av1-trace/pure", 200, 160, 240),
        "av1-oracle/pure": result("av1-oracle/pure", 160, 160, 160),
    }
    found = document(results, 200)
    assert [(row["what"], row["core"], row["ratio"], row["met"]) for row in found["targets"]] == [
        ("av1 with oracle and trace, and three hops in ns.py", "compiled", 0.2, True),
        ("av1 with oracle and trace, and three hops in ns.py", "pure", 0.8, True),
        ("av1 with and without trace", "pure", 1.25, True),
    ]
    assert [(row["factor"], row["of"], row["ratio"]) for row in found["factors"]] == [
        ("trace on/off", "av1/pure", 1.25),
        ("compiled/pure", "av1-trace", 0.25),
    ]
    text = "\n".join(lines(results))
    assert "three hops in ns.py, compiled: 0.20 (0.20-0.40) (target: at most 0.25) met" in text
    assert "trace on/off, av1/pure: 1.25 (1.00-1.50)" in text
    assert "compiled/pure, av1-trace: 0.25 (0.10-0.50)" in text
    assert "peak memory of ns.py: 2 MB by 100 messages, 3 MB by 200 messages" in text


def test_the_table_has_a_ratio_to_each_baseline_and_a_dash_for_one_that_was_not_measured() -> None:
    heading, _, _, row = list(lines({name: result(name, 2.0) for name in (CALLBACKS, LIMIT, "av1-trace/pure")}))[:4]
    assert heading.split() == ["us/message", "min", "max", "x", CALLBACKS, "x", COMPONENTS, "x", LIMIT]
    one = ["1.00", "(1.00-1.00)"]
    assert row.split() == ["av1-trace/pure", "2.00", "2.00", "2.00", *one, "-", *one]


def test_every_target_compares_two_programs_of_the_benchmark() -> None:
    assert {name for target in TARGETS for name in (target.program, target.other)} <= set(PROGRAMS)
    assert FEW_HOSTS in PROGRAMS
    assert label(LIMIT, PURE) == LIMIT


@pytest.mark.full
def test_a_summary_of_many_runs_is_measured_on_disk_and_on_an_object_store(tmp_path: Path) -> None:
    words = ("--runs", "50", "--rounds", "1", "--latency", "1", "--directory", str(tmp_path))
    command = [sys.executable, "-m", "benchmarks.many_runs", *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    here, remote, requests = done.stdout.splitlines()
    assert here.startswith("from manifests: ")
    assert remote.startswith("from an object store: ")
    assert requests.startswith("requests: ")
