"""Workloads with random payloads, with conversations, and with messages from a file."""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from statistics import fmean
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from mobilesim.errors import UserError
from mobilesim.protocols import catalogue
from mobilesim.protocols.catalogue_rows import ProtocolRow
from mobilesim.scenario.loader import load, loads
from mobilesim.scenario.model import Scenario
from mobilesim.scenario.referenced_files import record
from mobilesim.world.replication import build_world
from mobilesim.world.traffic.messages import TrafficSource, traffic_sources
from tests.support.plane_worlds import is_distributed
from tests.support.simulations import FinishedRun, Row, simulate

SECOND: Final = 10**9
DRAWS: Final = 20_000

SMALL: Final[dict[str, Any]] = {"hosts": 6, "cells": 4, "duration": "20 s", "mobility": {"dwell": "exponential 2 s"}}


def traffic_source(host: int = 0, hosts: int = 8, **workload: Any) -> TrafficSource:  # noqa: ANN401 - settings
    return traffic_sources(build_world(Scenario.model_validate({"hosts": hosts, "workload": workload}), 0))[host]


def completed_run(settings: Mapping[str, Any], directory: Path) -> FinishedRun:
    return simulate(Scenario.model_validate(settings), directory)


def submitted(directory: Path, protocol: str, **workload: Any) -> list[Row]:  # noqa: ANN401 - settings
    done = completed_run({**SMALL, "protocols": [protocol], "workload": workload}, directory)
    assert done.outcome.verdict == "ok"
    return done.rows("messages")


@pytest.mark.full
def test_the_first_send_times_are_configurable_and_the_others_unchanged() -> None:
    spread = [traffic_source(host, 100, interval="1 s", first_message="uniform 0 s 1 s") for host in range(100)]
    firsts = sorted(one.first() for one in spread)
    assert 0 <= firsts[0] < firsts[50] < firsts[-1] <= SECOND
    assert len(set(firsts)) == 100
    assert {one.pause() for one in spread} == {SECOND}


def test_send_times_do_not_depend_on_payloads() -> None:
    plain, drawn = traffic_source(), traffic_source(payload="exponential 400 B")
    assert [plain.pause() for _ in range(9)] == [drawn.pause() for _ in range(9)]
    assert [plain.address()[0] for _ in range(9)] == [drawn.address()[0] for _ in range(9)]


@pytest.mark.parametrize(
    ("payload", "mean"), (("uniform 40 B 1500 B", 770), ("exponential 400 B", 400), ("pareto 3 100 B", 150), ("7 B", 7))
)
def test_payloads_have_the_requested_mean(payload: str, mean: int) -> None:
    one = traffic_source(payload=payload)
    assert fmean(one.address()[2] for _ in range(DRAWS)) == pytest.approx(mean, rel=0.03, abs=0.6)


def test_a_message_keeps_its_drawn_payload(tmp_path: Path) -> None:
    done = completed_run({**SMALL, "protocols": ["av1"], "workload": {"payload": "uniform 1 B 900 B"}}, tmp_path)
    sizes = {row["message"]: row["payload_bytes"] for row in done.rows("messages")}
    assert len(set(sizes.values())) > 50
    assert all(row["payload_bytes"] == sizes[row["message"]] for row in done.deliveries)


def test_every_request_has_a_reply(tmp_path: Path) -> None:
    """Requests at the end of the scenario are excluded, because their replies may come too late."""
    rows = submitted(tmp_path, "av1", senders=1, replies={"think_time": "1 ms"}, interval="exponential 1 s")
    requests = [row for row in rows if row["source"] == 0 and row["submitted"] < 18 * SECOND]
    replies = [row for row in rows if row["source"] != 0][: len(requests)]
    assert Counter(row["destinations"][0] for row in requests) == Counter(row["source"] for row in replies)
    assert all(row["destinations"] == [0] for row in replies)


def test_replies_are_sent_after_the_configured_think_time(tmp_path: Path) -> None:
    replies = {"think_time": "uniform 100 ms 300 ms"}
    workload = {"senders": 1, "interval": "1 s", "replies": replies}
    done = completed_run({**SMALL, "duration": "200 s", "protocols": ["av1"], "workload": workload}, tmp_path)
    heard = sorted(row["delivered"] for row in done.deliveries if row["source"] == 0)
    answered = sorted(row["submitted"] for row in done.rows("messages") if row["source"] != 0)
    thought = [(then - now) / SECOND for now, then in zip(heard, answered, strict=False)]
    assert len(thought) > 190
    assert is_distributed(thought, lambda time: min(max((time - 0.1) / 0.2, 0), 1))


def test_a_conversation_has_the_configured_number_of_turns(tmp_path: Path) -> None:
    workload = {"senders": 1, "interval": "15 s", "replies": {"think_time": "1 ms", "max_rounds": 4}}
    rows = submitted(tmp_path, "av1", **workload)
    other = rows[0]["destinations"][0]
    assert [row["source"] for row in rows] == [0, other, 0, other, 0]


@pytest.mark.full
def test_messages_are_answered_with_the_configured_probability(tmp_path: Path) -> None:
    workload = {"interval": "exponential 20 ms", "replies": {"probability": "50 %", "think_time": "1 ms"}}
    rows = submitted(tmp_path, "av1", **workload)
    begun = completed_run(
        {**SMALL, "protocols": ["av1"], "workload": {"interval": "exponential 20 ms"}}, tmp_path / "b"
    )
    request = len(begun.rows("messages"))
    assert (len(rows) - request) / request == pytest.approx(0.5, abs=0.03)


def test_conversations_do_not_depend_on_the_protocols_delays(tmp_path: Path) -> None:
    """The messages of the first ten seconds are compared. A slower protocol delays a few of them beyond this time."""

    def exchanged(protocol: str) -> Counter[tuple[int, int, int]]:
        workload = {"replies": {"probability": "70 %", "max_rounds": 3}, "payload": "uniform 1 B 2000 B"}
        rows = submitted(tmp_path / protocol, protocol, **workload)
        early = [row for row in rows if row["submitted"] < 10 * SECOND]
        return Counter((row["source"], row["destinations"][0], row["payload_bytes"]) for row in early)

    one, other = exchanged("av1"), exchanged("av2")
    assert (one & other).total() > 0.97 * max(one.total(), other.total())


def test_each_destination_of_a_multicast_answers_independently(tmp_path: Path) -> None:
    workload = {
        "senders": 1,
        "interval": "15 s",
        "kind": "multicast",
        "destinations": 3,
        "replies": {"think_time": "1 ms"},
    }
    rows = submitted(tmp_path, "av1", **workload)
    assert sorted(row["source"] for row in rows[1:]) == rows[0]["destinations"]


def test_an_answer_to_all_goes_to_the_source_and_to_the_other_destinations(tmp_path: Path) -> None:
    workload = {"senders": 1, "interval": "15 s", "kind": "multicast", "destinations": 3}
    rows = submitted(tmp_path, "av1", **workload, replies={"think_time": "1 ms", "to": "all"})
    circle = {0, *rows[0]["destinations"]}
    assert [{row["source"], *row["destinations"]} for row in rows] == [circle] * 4


FILE: Final = """\
Time,source,destinations,payload
0.5,0,1,200 B
1,1,0 2 3,
1500 ms,2,all,40
"""


def write(directory: Path, text: str = FILE, name: str = "messages.csv") -> Path:
    (path := directory / name).write_text(text)
    return path


def test_messages_of_a_file_are_sent_as_written(tmp_path: Path) -> None:
    workload = {"replay": str(write(tmp_path)), "payload": "77 B"}
    done = completed_run({"hosts": 4, "cells": 4, "workload": workload}, tmp_path / "r")
    rows = [
        (row["submitted"] // 10**6, row["source"], row["destinations"], row["payload_bytes"])
        for row in done.rows("messages")
    ]
    assert rows == [(500, 0, [1], 200), (1000, 1, [0, 2, 3], 77), (1500, 2, [0, 1, 3], 40)]
    assert len(done.deliveries) == 7


def test_the_messages_of_a_run_can_be_sent_again_under_another_protocol(tmp_path: Path) -> None:
    first = completed_run({**SMALL, "protocols": ["av1"], "workload": {"payload": "uniform 1 B 99 B"}}, tmp_path / "a")
    table = tmp_path / "a" / "messages" / f"{first.outcome.run.id}.parquet"
    again = completed_run({**SMALL, "protocols": ["av2"], "workload": {"replay": str(table)}}, tmp_path / "b")
    output = ("submitted", "source", "destinations", "payload_bytes")
    one, other = (sorted([row[key] for key in output] for row in run.rows("messages")) for run in (first, again))
    assert one == other


def test_a_run_with_a_file_ends_with_its_last_message_by_default(tmp_path: Path) -> None:
    scenario: dict[str, Any] = {"hosts": 4, "cells": 4, "workload": {"replay": str(write(tmp_path))}}
    assert Scenario.model_validate(scenario).duration is None
    done = completed_run({**scenario, "duration": "1200 ms"}, tmp_path / "r")
    assert len(done.rows("messages")) == 2


def test_a_message_file_is_hashed_by_content_and_not_by_place(tmp_path: Path) -> None:
    def hashed(path: Path) -> str:
        return Scenario.model_validate({"hosts": 4, "workload": {"replay": str(path)}}).hash

    one, same = write(tmp_path), write(tmp_path, name="copy.csv")
    assert hashed(one) == hashed(same) != hashed(write(tmp_path, FILE.replace("200 B", "201 B"), "other.csv"))


@pytest.mark.parametrize(
    ("text", "output"),
    (
        ("", ":1: there is no column 'time'; the first line has nothing"),
        ("time,from\n", ":1: there is no column 'source'; the first line has time, from"),
        ("time,source,Time,destinations\n", ":1: there are two columns 'time'; leave one out"),
        ("time,source,destinations\n", ": has no messages"),
        ("time,source,destinations\n1,0\n", ":2: expected 3 values, like the first line"),
        ("time,source,destinations\n1,0,1,2\n", ":2: expected 3 values, like the first line"),
        ("time,source,destinations\nsoon,0,1\n", ":2: 'soon' is not a time; write a number and a unit, like '7 ms'"),
        ("time,source,destinations\n1,0,1\n1,x,1\n", ":3: 'x' is not a host number"),
        ("time,source,destinations\n1,0,0\n", ":2: host 0 sends to itself"),
        ("time,source,destinations\n1,0,1 1\n", ":2: a destination occurs twice in '1 1'"),
        (
            "time,source,destinations\n1,0,\n",
            ":2: there is no destination; write host numbers separated by blanks, or 'all'",
        ),
        (
            "time,source,destinations\n2,0,1\n1,0,1\n",
            ": message 2 is earlier than the message before it; sort the file by time",
        ),
        ("time,source,destinations\n1,0,9\n", " has messages of host 9; hosts are numbered from 0 to 3"),
        ("PAR1", ": not a Parquet file, or cut short"),
    ),
)
def test_an_invalid_message_file_is_refused_with_its_place(tmp_path: Path, text: str, output: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(UserError) as error:
        loads(f"hosts: 4\nworkload: {{replay: {path}}}")
    assert str(error.value).endswith(f"workload.replay: {path}{output}")


def test_a_table_with_a_duplicate_column_is_refused(tmp_path: Path) -> None:
    names = ["submitted", "submitted", "source", "destinations", "payload_bytes"]
    pq.write_table(pa.Table.from_arrays([pa.array([0])] * 5, names=names), path := tmp_path / "a.parquet")
    with pytest.raises(UserError, match="there are two columns 'submitted'; expected a table 'messages'"):
        loads(f"hosts: 6\nworkload: {{replay: {path}}}")


def test_a_run_that_ends_before_the_first_message_of_a_file_is_refused(tmp_path: Path) -> None:
    scenario = {"hosts": 4, "workload": {"replay": str(write(tmp_path))}}
    done = completed_run({**scenario, "duration": "500 ms"}, tmp_path / "at its moment")
    assert len(done.rows("messages")) == 1
    for network in ({}, {"network": "static", "protocols": ["resident+rst"]}):
        with pytest.raises(UserError, match=r"messages\.csv: the first message is sent at 500 ms, but the run ends at"):
            completed_run({**scenario, **network, "duration": "499 ms"}, tmp_path / "before")


def test_several_runs_in_one_file_are_refused(tmp_path: Path) -> None:
    scenario = {**SMALL, "duration": "2 s", "replications": 2}
    tables = [
        simulate(Scenario.model_validate(scenario), tmp_path, replication=number).table("messages") for number in (0, 1)
    ]
    pq.write_table(pa.concat_tables(tables), path := tmp_path / "both.parquet")
    with pytest.raises(UserError, match="has messages of several runs; name a file with the messages of one run"):
        loads(f"hosts: 6\nworkload: {{replay: {path}}}")


@pytest.mark.parametrize(
    ("text", "output"),
    (
        ("replay: FILE, senders: 2", "workload.senders: the file determines all messages; leave this key"),
        ("bursts: {length: 0 s}", "workload.bursts.length: bursts of 0 s contain no messages; write more than 0 s"),
        ("replies: {max_rounds: 0}", "workload.replies.max_rounds: "),
        ("payload: exponential", "workload.payload: 'exponential' is not a distribution; write it like"),
        ("payload: 7 ms", "workload.payload: '7 ms' is not a size; write a number and a unit, like '7 B'"),
    ),
)
def test_invalid_workloads_are_refused(tmp_path: Path, text: str, output: str) -> None:
    with pytest.raises(UserError, match=output.replace("(", r"\(").split(";")[0]):
        loads(f"hosts: 4\nworkload: {{{text.replace('FILE', str(write(tmp_path)))}}}")


CROWD: Final = "hosts: 1000\nworkload: {kind: multicast, destinations: all, "


@pytest.mark.parametrize(
    ("text", "output"),
    (
        (f"{CROWD}replies: {{to: all}}}}", "60,000 messages would be followed by about 59,940,000 answers"),
        (f"{CROWD}senders: 1, replies: {{to: all, max_rounds: 3}}}}", "60 messages would be followed by about 59,8"),
        (
            f"{CROWD}senders: 1, replies: {{to: all, max_rounds: 9000}}}}",
            "would be followed by infinitely many answers",
        ),
        (f"{CROWD}replies: {{probability: 50 %}}}}", "would be followed by about 29,970,000 answers"),
        ("hosts: 3\nworkload: {kind: multicast, destinations: 2, replies: {to: all, max_rounds: 999}}", "180 messages"),
        (f"{CROWD}bursts: {{length: pareto 0.9 1 s, silence: 1 s}}, replies: {{to: all}}}}", "60,000 messages"),
        (f"{CROWD}interval: pareto 1 1 s, replies: {{to: all}}}}", "60,000 messages would be followed by"),
        (f"{CROWD}interval: pareto 0.5 1 ms, replies: {{to: all}}}}", "244,949 messages would be followed by"),
    ),
)
def test_conversations_with_too_many_replies_are_refused(text: str, output: str) -> None:
    with pytest.raises(UserError, match="or limit the run with 'messages'") as error:
        loads(text)
    assert str(error.value).startswith("<text>:2: workload.replies: ")
    assert output in str(error.value)
    assert loads(f"messages: 5000\n{text}").messages == 5000


@pytest.mark.parametrize(
    "text",
    (
        f"{CROWD}senders: 10, replies: {{to: all}}}}",
        f"{CROWD}replies: {{to: all, probability: 0.0005, max_rounds: 1000}}}}",
        "hosts: 20\nworkload: {replies: {max_rounds: 1000000, think_time: 100 ms}}",
        "hosts: 2\nworkload: {replies: {to: all, max_rounds: 1000000, think_time: 1 ms}}",
        f"{CROWD}replies: {{probability: 0.0}}}}",
    ),
)
def test_bounded_conversations_are_accepted(text: str) -> None:
    assert loads(text).workload.replies is not None


def test_the_expected_number_of_replies_agrees_with_the_sent_ones() -> None:
    """Without randomness and with enough time, every conversation completes."""
    reply = loads("hosts: 4\nworkload: {replies: {to: all, max_rounds: 3, think_time: 1 ms}}").workload.replies
    assert reply is not None
    assert reply.following(3, 1e12, 0) == pytest.approx(3 + 9 + 27)
    assert reply.following(3, 0, 1) == pytest.approx(3)
    alone = loads(
        "hosts: 4\nworkload: {replies: {max_rounds: 3, think_time: 1 ms, probability: 50 %}}"
    ).workload.replies
    assert alone is not None
    assert alone.following(3, 1e12, 0) == pytest.approx(3 * (1 / 2 + 1 / 4 + 1 / 8))


def test_orderings_that_cannot_order_replies_or_file_messages_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="orders broadcasts, and answers are unicasts"):
        loads(
            "hosts: 4\nprotocols: resident+prs-broadcast\nworkload: {kind: multicast, destinations: all, replies: {}}"
        )
    with pytest.raises(UserError, match="orders unicasts, and the file has other messages"):
        loads(f"hosts: 4\nprotocols: resident+transport\nworkload: {{replay: {write(tmp_path)}}}")


def test_unused_settings_are_not_in_the_normal_form() -> None:
    assert loads("hosts: 4").normal_form() == {"hosts": 4}


def test_a_recorded_scenario_contains_its_message_file(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    path.write_text(f"hosts: 4\nworkload: {{replay: {write(tmp_path).name}}}\n")
    scenario = load(path)
    found = record(scenario)
    (again := tmp_path / "again").mkdir()
    for name, content in found.files.items():
        (again / name).write_bytes(content)
    (again / "scenario.yaml").write_text(found.text)
    assert load(again / "scenario.yaml").hash == scenario.hash


def conversing(row: ProtocolRow) -> dict[str, Any]:
    """Return a scenario with bursts, random payloads and, if the ordering accepts them, replies."""
    output = catalogue.ORDERINGS[row.ordering].serves
    talk: dict[str, Any] = {"interval": "exponential 300 ms", "payload": "pareto 2 60 B"}
    talk["bursts"] = {"length": "exponential 1 s", "silence": "exponential 2 s"}
    settings: dict[str, Any] = {"hosts": 6, "cells": 4, "duration": "8 s", "workload": talk}
    settings["mobility"] = {"dwell": "exponential 700 ms", "gap": "exponential 100 ms"}
    settings["backbone"] = {"jitter": "exponential 20 ms"}
    settings["protocols"] = [{"placement": row.placement, "ordering": row.ordering}]
    if output == "groups":
        settings["groups"] = [[0, 1, 2], [2, 3, 4, 5]]
    elif output == "broadcasts":
        talk |= {"kind": "multicast", "destinations": "all", "interval": "exponential 2 s"}
        talk["replies"] = {"probability": "20 %", "max_rounds": 2, "to": "all"}
    else:
        talk["replies"] = {"probability": "80 %", "max_rounds": 5}
        talk |= {"kind": "multicast", "destinations": "1..3"} if output == "all" else {}
    return settings


@pytest.mark.full
@pytest.mark.parametrize("row", catalogue.pairs(), ids=lambda row: str(row.name))
def test_every_protocol_keeps_its_claims_with_conversations_and_frequent_moves(
    row: ProtocolRow, tmp_path: Path
) -> None:
    done = completed_run(conversing(row), tmp_path)
    assert done.outcome.verdict == "ok"
    assert len(done.deliveries) > 50
