"""`mobilesim check`: shipped parts pass, and broken variants are refused, where possible by a shortest schedule."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from textwrap import dedent
from typing import Any, Final

import pytest

from mobilesim.cli.main import main
from mobilesim.conformance.suite import QUICK, Effort, checks_of_ordering, checks_of_pair
from mobilesim.extensions.outside_protocols import outside_ordering
from mobilesim.extensions.plugin_files import load_plugins
from mobilesim.protocols.catalogue import ORDERINGS, PLACEMENTS, ordering_row, pair
from tests.support.outside_packages import WALK, fresh_extensions, package

HEAD: Final = """\
    import itertools

    from probabilistic_causal.ordering import ROW, HashedVector, HashedVectorProcess, Vector, entries_of
    from probabilistic_causal.placement import ROW as PLACED, AnnouncingStation, build

    from mobilesim.contract.orderings import NO_KEYS, Option, Ordering, OrderingRow, Process, Stamp, declares, value
    from mobilesim.contract.placements import MobileHost, System, mailbox_for
    from mobilesim.protocols.orderings.vectors.bss import Bss, BssProcess


    BROADCASTS = OrderingRow("tried", "-", "-", "N", serves="broadcasts")
"""
PROCESS: Final = """\


    class TriedProcess(BssProcess):
        __slots__ = (SLOTS)

        BODY


    @declares(BROADCASTS)
    class Tried(Bss):
        def process(self, index):
            return TriedProcess(index, self.size, self.borrow)
"""


def variant(body: str, slots: str = "") -> str:
    text = dedent(PROCESS).replace("SLOTS", slots).replace("BODY", dedent(body).strip().replace("\n", "\n    "))
    return dedent(HEAD) + text


FORGETS_A_KEY: Final = variant("def deliver(self, stamp):\n    super().deliver(stamp)\n    return NO_KEYS")
NOT_CAUSAL: Final = variant("def missing(self, stamp):\n    return None")
CHANGES_IN_MISSING: Final = variant(
    "def missing(self, stamp):\n    self.counts += 0 if super().missing(stamp) is None else 1\n    return 7"
)
UNHASHABLE_KEY: Final = variant("def missing(self, stamp):\n    return [1]")
NO_STAMP: Final = variant("def send(self, destinations, group):\n    return ((destinations, 5),)")
HALF_OF_THE_DESTINATIONS: Final = variant(
    "def send(self, destinations, group):\n"
    "    return [(each[:1], stamp) for each, stamp in super().send(destinations, group)]"
)
NEGATIVE: Final = variant("@property\ndef integers(self):\n    return -1")
LATE: Final = variant(
    "def missing(self, stamp):\n"
    "    short = super().missing(stamp)\n"
    "    return short or (None if self.counts >= 3 else (0, 1))"
)
NEVER: Final = variant("def missing(self, stamp):\n    return 'never'")
COUNTED_IN_A_CLASS: Final = variant(
    """
    numbers = itertools.count()

    def send(self, destinations, group):
        ((targets, stamp),) = super().send(destinations, group)
        return ((targets, Vector(stamp.sender, (stamp.counts, next(self.numbers)), ())),)

    def missing(self, stamp):
        return None
    """
)
LONG: Final = dedent(HEAD).replace('"N", serves', '"N - 1", serves') + dedent(PROCESS).replace("SLOTS", "").replace(
    "BODY", "pass"
)
SHARED: Final = dedent(HEAD) + dedent(
    """\


    class SharingProcess(BssProcess):
        __slots__ = ("common",)


    @declares(BROADCASTS)
    class Tried(Bss):
        def process(self, index):
            made = SharingProcess(index, self.size, self.borrow)
            made.common = COMMON
            return made


    COMMON = []
    """
)
LOOSE: Final = variant("pass").replace("__slots__ = ()", "pass")
RAISES: Final = variant("def deliver(self, stamp):\n    raise ValueError('no delivery')")

REFUSED: Final = {
    "forgets a key": (FORGETS_A_KEY, "calls", "stays blocked: deliver must return the keys that `missing` names"),
    "not causal": (NOT_CAUSAL, "causal order", "is delivered to p"),
    "changes in missing": (CHANGES_IN_MISSING, "calls", "missing changes the state of the process"),
    "unhashable key": (UNHASHABLE_KEY, "calls", "missing returns [1], which is not hashable"),
    "no stamp": (NO_STAMP, "calls", "send returns a int, which is no Stamp"),
    "half": (HALF_OF_THE_DESTINATIONS, "calls", "expected each of the destinations"),
    "negative": (NEGATIVE, "types and state", "TriedProcess.integers is -1; expected a whole number of 0 or more"),
    "late": (LATE, "calls", "stays blocked: sent_keys must return the keys that `missing` names"),
    "never": (NEVER, "calls", "is never delivered to process"),
    "class": (COUNTED_IN_A_CLASS, "calls", "two processes with the same calls return different stamps"),
    "long": (LONG, "calls", "integers with N = 3 processes, and the row claims a header of N - 1"),
    "shared": (SHARED, "types and state", "two processes share an object that may change (list)"),
    "loose": (LOOSE, "types and state", "TriedProcess has state outside of its slots"),
    "raises": (RAISES, "calls", "ValueError: no delivery"),
}
WITHOUT_A_SCHEDULE: Final = {"negative", "long", "shared", "loose", "changes in missing", "class"}


@pytest.fixture(autouse=True)
def _forgotten() -> Iterator[None]:
    with fresh_extensions():
        yield


def checked(text: str, folder: Path, capsys: pytest.CaptureFixture[str], name: str = "Tried") -> dict[str, Any]:
    file = folder / "tried.py"
    file.write_text(text, encoding="utf-8")
    code = main(["check", f"tried:{name}", "--quick", "--json", "--plugin", str(file)])
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert code == (0 if found["passed"] else 1)
    return found


@pytest.mark.full
@pytest.mark.parametrize("name", REFUSED)
def test_a_broken_ordering_is_refused(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text, check, message = REFUSED[name]
    found = checked(text, tmp_path, capsys)
    faulty = [each for each in found["checks"] if not each["passed"]]
    assert faulty[0]["check"].startswith(check)
    assert message in faulty[0]["text"]
    if name not in WITHOUT_A_SCHEDULE:
        assert faulty[-1]["listing"][-1].startswith("fault: ")
        assert "a shortest failing schedule of " in faulty[-1]["text"]


def test_the_unchanged_variant_passes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert checked(variant("pass"), tmp_path, capsys)["passed"]


def test_an_ordering_that_inhibits_must_deliver_every_message(tmp_path: Path) -> None:
    """Also in the executions of the check of causal order, of which there are more than of the check of calls."""
    file = tmp_path / "tried.py"
    file.write_text(NEVER.replace('serves="broadcasts"', 'serves="broadcasts", inhibits=True'), encoding="utf-8")
    load_plugins([file])
    assert outside_ordering("tried:Tried") is not None
    checks = checks_of_ordering(ordering_row("tried:Tried"), QUICK)
    (causal,) = (check for check in checks if check.title == "causal order")
    result = causal.run(lambda _search, _force: None)
    assert not result.passed
    assert result.text == "m0 is never delivered to p0, although all messages arrive (random execution 0)"


def test_a_search_that_ends_at_its_limit_says_so() -> None:
    *_, larger, _ = checks_of_pair(pair("proxy", "unordered"), Effort(executions=1, schedules=1, states=1_000))
    smaller = next(iter(checks_of_pair(pair("proxy", "unordered"), QUICK)))
    assert re.fullmatch(
        r"[\d,]+ states, until the limit of 1,000 was reached", larger.run(lambda _search, _waiting: None).text
    )
    assert re.fullmatch(r"every one, [\d,]+ states", smaller.run(lambda _search, _waiting: None).text)


def test_the_overtaking_triangle_is_described() -> None:
    checks = checks_of_ordering(replace(ordering_row("unordered"), causal=True), QUICK)
    (triangle,) = (check for check in checks if check.title == "overtaking triangle")
    assert triangle.run(lambda _search, _waiting: None).text == (
        "m2 is delivered to p2 too early: m0 was sent to p2 before it, in causal order, and is not yet delivered there "
        "(p0 sends m0 to p2, then m1 to p1; p1 delivers m1, then sends m2 to p2; m2 arrives at p2 before m0)"
    )


@pytest.mark.full
def test_a_broken_placement_is_refused_by_a_shortest_schedule(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = dedent(HEAD) + dedent(
        """\


        class Forgetting(AnnouncingStation):
            __slots__ = ()

            def _forward(self, visit, packet, out):
                pass


        @declares(PLACED)
        def lossy(stations, homes, ordering):
            machines = [Forgetting(index, stations, homes) for index in range(stations)]
            processes = ordering(len(homes))
            for host, home in enumerate(homes):
                machines[home].start(host, mailbox_for(processes.process(host)))
            return System(machines, [MobileHost(host, home) for host, home in enumerate(homes)])
        """
    )
    found = checked(text, tmp_path, capsys, "lossy")
    assert "2 hosts, 2 messages, 1 move, tried:lossy+rst" in found["checks"][-1]["check"]
    assert "was not delivered to host" in "\n".join(found["checks"][-1]["listing"])


@pytest.mark.parametrize("name", ("probabilistic_causal.ordering:HashedVector", "probabilistic_causal.placement:build"))
def test_the_parts_of_the_example_pass(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["check", name, "--quick"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert all(line.startswith("pass  ") for line in lines[:-1])
    assert lines[-1] == f"{name}: no fault in {len(lines) - 1} checks"


@pytest.mark.slow
@pytest.mark.parametrize("name", (*ORDERINGS, *PLACEMENTS))
def test_the_shipped_parts_pass(name: str) -> None:
    assert main(["check", name, "--quick"]) == 0


@pytest.mark.full
@pytest.mark.parametrize("name", ("bss", "transport", "isis", "proxy+rst", "prs-stations"))
def test_some_shipped_parts_of_each_kind_pass(name: str) -> None:
    assert main(["check", name, "--quick"]) == 0


def test_a_name_that_is_no_ordering_and_no_placement_is_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    package(tmp_path / "site", monkeypatch, {"walks": WALK})
    assert main(["check", "rts"]) == main(["check", "walks:walk"]) == main(["check", "none:Such"]) == 2
    assert capsys.readouterr().err.splitlines() == [
        "mobilesim: rts: there is no such ordering or placement; did you mean 'rst'?",
        "mobilesim: walks:walk: it is a mobility model; expected an ordering or a placement",
        (
            "mobilesim: none:Such: there is no module 'none'; install the package that has it, or name its file with "
            "--plugin"
        ),
    ]
