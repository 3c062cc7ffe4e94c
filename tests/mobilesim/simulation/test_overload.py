"""The report of a run in which a resource received more work than its capacity."""

import json
from pathlib import Path
from typing import Any

import pytest

from mobilesim.cli.main import main
from mobilesim.scenario.model import Scenario
from mobilesim.simulation.overload import Overload
from tests.support.simulations import FREE_HOSTS, simulate
from tests.support.sweep_runs import run_sweep

PLENTY = {"bandwidth": "100 Mbit/s"}
WORLD: dict[str, Any] = {
    "hosts": 4,
    "cells": 4,
    "duration": "20 s",
    "protocols": {"name": "fifo", "location": "free"},
    "mobility": {"model": "static", "start": "spread"},
    "workload": {"interval": "exponential 50 ms", "payload": "960 B", "senders": 1},
    "sizes": {"header": "40 B", "integer": "0 B"},
    "processing": {"fixed": "0 s", "per_integer": "0 s"},
    "wireless": PLENTY,
    "backbone": PLENTY,
}
"""Host 0 sends 20 messages of 1,000 B per second, to three hosts in other cells."""


def found(tmp_path: Path, **changed: Any) -> Overload | None:  # noqa: ANN401 - settings
    return simulate(Scenario.model_validate({**WORLD, **changed}), tmp_path).simulation.overload


def test_a_load_below_the_capacity_is_not_reported(tmp_path: Path) -> None:
    """The load is up to 80 % of the capacity."""
    assert found(tmp_path / "air", wireless={"bandwidth": "200 kbit/s"}) is None
    assert found(tmp_path / "backbone", backbone={"bandwidth": "70 kbit/s"}) is None
    assert found(tmp_path / "processing", processing={"fixed": "20 ms", "per_integer": "0 s"}) is None


def test_an_overloaded_uplink_is_named(tmp_path: Path) -> None:
    over = found(tmp_path, wireless={"uplink": "100 kbit/s", "downlink": "100 Mbit/s"})
    assert over is not None
    assert (over.worst.name, over.others) == ("the uplink of host 0", 0)
    assert over.worst.remedy == "increase wireless.bandwidth"
    assert over.worst.time == pytest.approx(20_000_000_000, rel=0.01)
    assert over.worst.work == pytest.approx(1.6 * over.worst.time, rel=0.1)
    assert over.worst.waited == pytest.approx(0.6 / 1.6 * over.worst.packets, rel=0.2)


def test_a_cell_with_an_overloaded_shared_channel_is_named(tmp_path: Path) -> None:
    """With a channel of its own, each host has sufficient capacity."""
    workload = {**WORLD["workload"], "senders": 4}
    settings: dict[str, Any] = {"workload": workload, "cells": 1, "hosts": 4}
    air = {"uplink": "400 kbit/s", "downlink": "100 Mbit/s"}
    assert found(tmp_path / "each", wireless=air, **settings) is None
    over = found(tmp_path / "all", wireless={**air, "medium": "shared"}, **settings)
    assert over is not None
    assert (over.worst.name, over.others) == ("the uplink of cell 0", 0)
    assert over.worst.work == pytest.approx(1.6 * over.worst.time, rel=0.1)


def test_an_overloaded_wired_link_is_named(tmp_path: Path) -> None:
    over = found(tmp_path, backbone={"topology": "star", "bandwidth": "40 kbit/s"})
    assert over is not None
    assert over.worst.remedy == "increase backbone.bandwidth"
    assert over.worst.name.startswith("the link from station ")


def test_an_overloaded_station_is_named(tmp_path: Path) -> None:
    over = found(tmp_path, processing={"fixed": "80 ms", "per_integer": "0 s", "hosts": FREE_HOSTS})
    assert over is not None
    assert (over.worst.name, over.worst.remedy, over.worst.waited) == ("station 0", "reduce the processing time", None)
    assert over.worst.work >= 1.5 * over.worst.time


def test_an_overloaded_processor_of_a_host_is_named(tmp_path: Path) -> None:
    """Host 0 sends a frame and receives an acknowledgement for each of its 20 messages per second."""
    processing = {"fixed": "0 s", "per_integer": "0 s", "hosts": {"fixed": "40 ms"}}
    over = found(tmp_path, processing=processing)
    assert over is not None
    assert (over.worst.name, over.others) == ("the processor of host 0", 0)
    assert (over.worst.remedy, over.worst.waited) == ("reduce processing.hosts", None)
    assert over.worst.work == pytest.approx(1.6 * over.worst.time, rel=0.1)
    assert found(tmp_path / "faster", processing={**processing, "hosts": {"fixed": "20 ms"}}) is None


def test_the_demand_of_departed_hosts_counts_only_while_they_were_present(tmp_path: Path) -> None:
    """A frame to a host that has left does not count as work of the link."""
    world = {"mobility": {"dwell": "exponential 100 ms", "gap": "exponential 50 ms"}, "wireless": {"beacon": "50 ms"}}
    assert found(tmp_path, **world) is None


def test_a_burst_is_not_an_overload(tmp_path: Path) -> None:
    assert found(tmp_path, duration=None, messages=10, wireless={"bandwidth": "1 kbit/s"}) is None


def test_an_overloaded_link_of_a_static_network_is_named(tmp_path: Path) -> None:
    """Half of the messages cross each of two links."""
    assert overload_of_static_network(tmp_path / "fast", delay="70 ms", service="fifo") is None
    assert overload_of_static_network(tmp_path / "no queue", delay="200 ms", service="independent") is None
    over = overload_of_static_network(tmp_path / "slow", delay="200 ms", service="fifo")
    assert over is not None
    assert (over.worst.name[:20], over.worst.remedy, over.others) == (
        "the link from host 0",
        "reduce links.delay",
        1,
    )


def overload_of_static_network(tmp_path: Path, **links: str) -> Overload | None:
    mesh = {
        "hosts": 3,
        "network": "static",
        "duration": "60 s",
        "protocols": "resident+ses",
        "links": links,
        "workload": {"interval": "exponential 50 ms", "senders": 1},
    }
    return simulate(Scenario.model_validate(mesh), tmp_path).simulation.overload


def test_a_wireless_link_has_capacity_only_while_its_host_is_present(tmp_path: Path) -> None:
    """Hosts are away half of the time."""
    away: dict[str, Any] = {
        "duration": "60 s",
        "mobility": {
            "dwell": "exponential 2 s",
            "disconnect": {"probability": 1, "duration": "exponential 2 s"},
        },
    }
    assert found(tmp_path / "fast", **away, wireless={"uplink": "800 kbit/s", "downlink": "100 Mbit/s"}) is None
    over = found(tmp_path / "slow", **away, wireless={"uplink": "200 kbit/s", "downlink": "100 Mbit/s"})
    assert over is not None
    assert over.worst.name == "the uplink of host 0"
    assert over.worst.work > over.worst.time
    assert over.worst.time == pytest.approx(30_000_000_000, rel=0.4)


def test_a_failed_link_has_no_capacity(tmp_path: Path) -> None:
    """The link is down from 10 s to 50 s of 60 s; without the failure its capacity would be 1.5 times the demand."""
    outage = {"between": [0, 1], "at": "10 s", "duration": "40 s"}
    two: dict[str, Any] = {"cells": 2, "hosts": 2, "duration": "60 s"}
    wire = {"bandwidth": "240 kbit/s"}
    assert found(tmp_path / "up", **two, backbone=wire) is None
    over = found(tmp_path / "down", **two, backbone={**wire, "failures": {"schedule": [outage]}})
    assert over is not None
    assert over.worst.name == "the link from station 0 to 1"
    assert over.worst.time == pytest.approx(20_000_000_000, rel=0.01)


def replayed(tmp_path: Path, begin: float, **changed: Any) -> Overload | None:  # noqa: ANN401 - settings
    """Return the overload of a run of 200 s that replays 400 messages within 10 s, from `begin` on."""
    tmp_path.mkdir()
    file = tmp_path / "sent.csv"
    rows = [f"{begin + number / 40:.3f},0,1,960" for number in range(400)]
    file.write_text("\n".join(["time,source,destinations,payload", *rows]) + "\n", encoding="utf-8")
    workload = {"replay": str(file)}
    return found(tmp_path / "r", workload=workload, duration="200 s", **changed)


def test_the_capacity_counts_from_the_first_message(tmp_path: Path) -> None:
    """Capacity after the last message of a file counts, capacity before the first message does not."""
    slow = {"uplink": "200 kbit/s", "downlink": "100 Mbit/s"}
    over = replayed(tmp_path / "late", 190, wireless=slow)
    assert over is not None
    assert over.worst.name == "the uplink of host 0"
    assert over.worst.time == pytest.approx(10_000_000_000, rel=0.01)
    assert replayed(tmp_path / "early", 0, wireless=slow) is None
    assert replayed(tmp_path / "fast", 190) is None


def test_an_absence_without_messages_reduces_no_capacity(tmp_path: Path) -> None:
    """All hosts are away for a long time before the first and after the last message, but no message waits for them."""
    away: dict[str, Any] = {
        "hosts": 8,
        "cells": 4,
        "mobility": {"dwell": "5 s", "disconnect": {"probability": 1, "duration": "60 s"}},
    }
    for name, begin in (("early", 0.5), ("late", 180)):
        assert replayed(tmp_path / name, begin, **away) is None


def test_simultaneous_messages_are_not_an_overload(tmp_path: Path) -> None:
    file = tmp_path / "at-once.csv"
    file.write_text("time,source,destinations,payload\n" + "1.0,0,1,960\n" * 60, encoding="utf-8")
    for name, duration in (("whole", "60 s"), ("file", None)):
        air = {"bandwidth": "200 kbit/s"}
        assert found(tmp_path / name, workload={"replay": str(file)}, duration=duration, wireless=air) is None


@pytest.mark.full
def test_a_wireless_link_has_no_capacity_while_its_host_crosses(tmp_path: Path) -> None:
    """Hosts are in a cell for a tenth of the time, but their frames need a fifth of the time."""
    mobility = {"dwell": "1 s", "gap": "9 s"}
    workload = {"interval": "exponential 90 ms"}
    restless: dict[str, Any] = {"hosts": 6, "duration": "100 s", "mobility": mobility, "workload": workload}
    over = found(tmp_path / "slow", **restless, wireless={"bandwidth": "64 kbit/s"})
    assert over is not None
    assert over.worst.time < 20_000_000_000
    assert over.worst.remedy.startswith("shorten absences of hosts")


def test_bursts_of_stations_use_the_time_until_the_next_burst(tmp_path: Path) -> None:
    stations = {"senders": 0, "stations": {"interval": "60 s", "destinations": "all"}}
    air = {"bandwidth": "8 kbit/s"}
    few: dict[str, Any] = {"duration": None, "cells": 25, "messages": 25, "protocols": "flood+fifo"}
    assert found(tmp_path / "stations", **few, workload=stations, wireless=air) is None
    bursts = {"interval": "exponential 2 ms", "bursts": {"length": "1 s", "silence": "60 s"}}
    talk: dict[str, Any] = {"duration": None, "messages": 200, "workload": bursts}
    assert found(tmp_path / "bursts", **talk, wireless={"bandwidth": "256 kbit/s"}) is None


@pytest.mark.full
def test_a_load_just_below_the_capacity_is_not_reported(tmp_path: Path) -> None:
    """The load of each of ninety links is 90 % on average. On some links it exceeds the capacity by chance."""
    mesh = {
        "hosts": 10,
        "network": "static",
        "duration": "60 s",
        "protocols": "resident+fifo",
        "links": {"delay": "exponential 90 ms", "service": "fifo"},
        "workload": {"kind": "multicast", "destinations": "all", "interval": "exponential 100 ms"},
    }
    for seed in range(3):
        done = simulate(Scenario.model_validate({**mesh, "seed": seed}), tmp_path / str(seed))
        assert done.simulation.overload is None


@pytest.mark.parametrize("medium", ("dedicated", "shared"))
def test_a_channel_is_busy_while_a_frame_waits_for_its_retransmission(medium: str, tmp_path: Path) -> None:
    """Every second message waits for at least 200 ms, and twenty messages arrive in a second."""
    air = {"bandwidth": "10 Mbit/s", "medium": medium}
    assert found(tmp_path / "at once", wireless={**air, "loss": 0.5}) is None
    over = found(tmp_path / "later", wireless={**air, "loss": 0.5, "retry": "200 ms"})
    assert over is not None
    assert over.worst.name.endswith(f"link of {'cell' if medium == 'shared' else 'host'} 0")
    assert over.worst.work == pytest.approx(20 * 20 * 200_000_000, rel=0.2)


def test_the_pending_frames_of_dead_hosts_count_in_a_shared_cell(tmp_path: Path) -> None:
    """All hosts die, while their queued frames need about as much time as the hosts have lived."""
    world: dict[str, Any] = {
        "cells": 1,
        "energy": {"battery": "uniform 8 J 12 J", "transmit": "1 W", "receive": "1 W", "idle": "1 W"},
        "workload": {**WORLD["workload"], "senders": 4},
    }
    air = {"uplink": "300 kbit/s", "downlink": "100 Mbit/s", "medium": "shared"}
    over = found(tmp_path, **world, wireless=air)
    assert over is not None
    assert over.worst.name == "the uplink of cell 0"


def test_without_a_trace_no_overload_is_reported(tmp_path: Path) -> None:
    assert found(tmp_path, trace=False, wireless={"bandwidth": "10 kbit/s"}) is None


def test_a_run_reports_excess_demand_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "slow.yaml"
    file.write_text(
        "hosts: 4\nprotocols: fifo\nduration: 30 s\nmobility: {model: static}\n"
        "wireless: {uplink: 300 bit/s, downlink: 10 Mbit/s}\n"
    )
    arguments = ["run", str(file), "--no-summary", "--out", str(tmp_path / "out")]
    assert main(arguments) == 0
    (line,) = (line for line in capsys.readouterr().out.splitlines() if "overload" in line)
    assert line.strip().startswith("overload: the uplink of host ")
    assert "delays grow with the duration; send less, or increase wireless.bandwidth" in line
    assert main([*arguments, "--json"]) == 0
    (run,) = json.loads(capsys.readouterr().out)["runs"]
    assert run["overload"]["demand_ns"] > run["overload"]["time_ns"] > 29_000_000_000


def test_the_manifest_of_a_run_records_an_overload(tmp_path: Path) -> None:
    slow, fast = run_sweep(
        "scenario: {hosts: 4, duration: 30 s, mobility: {model: static}}\nprotocols: fifo\n"
        "vary: {wireless.uplink: [300 bit/s, 1 Mbit/s]}\nreplications: 1",
        tmp_path,
    )
    assert slow.overload is not None
    assert slow.overload.startswith("the uplink of host ")
    assert fast.overload is None
