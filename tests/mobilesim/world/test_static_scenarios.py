"""Scenarios of static networks: how they are read, and settings that they refuse."""

from collections import Counter
from pathlib import Path
from typing import Final

import pytest

from mobilesim.cli.main import main
from mobilesim.errors import UserError
from mobilesim.scenario.loader import loads
from mobilesim.scenario.model import Scenario
from mobilesim.scenario.sections.measurement import WarmUp
from mobilesim.scenario.sections.workload import Between, Workload
from mobilesim.scenario.values.distributions import Constant, Exponential
from mobilesim.world.random_streams import Streams
from mobilesim.world.traffic.messages import TrafficSource

S: Final = 10**9

BAD: Final = (
    (
        "network: static\ncells: 9\n",
        "2: cells: a static network has only hosts and links; leave this key out, or write 'network: cells'",
    ),
    (
        "network: static\nbackbone:\n",
        "2: backbone: a static network has only hosts and links; write 'links' instead, or write 'network: cells'",
    ),
    (
        "network: static\nwireless: {latency: 1 ms}\n",
        "2: wireless: a static network has only hosts and links; write 'links' instead, or write 'network: cells'",
    ),
    *(
        (
            f"network: static\n{section}: {{}}\n",
            f"2: {section}: a static network has only hosts and links; leave this key out, or write 'network: cells'",
        )
        for section in ("energy", "mobility", "processing")
    ),
    (
        "network: static\nmobility: {}\ncells: 9\nwireless: {}\n",
        (
            "2: mobility: a static network has only hosts and links; leave this key out, or write 'network: cells'\n"
            "x.yaml:3: cells: a static network has only hosts and links; leave this key out, or write "
            "'network: cells'\n"
            "x.yaml:4: wireless: a static network has only hosts and links; write 'links' instead, or write "
            "'network: cells'"
        ),
    ),
    (
        "network: static\nprotocols: [rst, av1]\n",
        (
            "2: protocols[1]: av1 needs stations, and a static network has none; write 'rst', which is resident+rst, "
            "or 'network: cells'"
        ),
    ),
    (
        "network: static\nprotocols: [av1, rst, fifo]\n",
        (
            "2: protocols[0]: av1 needs stations, and a static network has none; write 'rst', which is resident+rst, "
            "or 'network: cells'\n"
            "x.yaml:2: protocols[2]: fifo needs stations, and a static network has none; write 'resident+fifo', "
            "or 'network: cells'"
        ),
    ),
    (
        "network: static\nprotocols: fifo\n",
        (
            "2: protocols[0]: fifo needs stations, and a static network has none; write 'resident+fifo', "
            "or 'network: cells'"
        ),
    ),
    (
        "network: static\nprotocols: [{name: rst, location: lazy}]\n",
        (
            "2: protocols[0]: rst location=lazy: 'location' is for stations, and a static network has none; leave "
            "'location' out"
        ),
    ),
    (
        "network: static\nworkload: {stations: {destinations: 1}}\n",
        "2: workload.stations: a static network has no stations; leave this key out, or write 'network: cells'",
    ),
    (
        "links: {delay: 1 s}\n",
        "1: links: only a static network has this key; write 'network: static' too, or leave this key out",
    ),
    (
        "network: static\nmessages: 10\nwarm_up: {deliveries: 10}\n",
        "3: warm_up.deliveries: the run has at most 10 deliveries, and the warm-up 10; write fewer",
    ),
    ("network: static\nwarm_up: 5\n", "2: warm_up: 5 is not a mapping; write keys below it (known: deliveries)"),
    ("network: static\nwarm_up: {}\n", "2: warm_up: 'deliveries' is missing"),
    (
        "network: static\nlinks: {service: lifo}\n",
        "2: links.service: 'lifo' is not one of fifo, independent, bus; did you mean 'fifo'?",
    ),
    ("network: statik\n", "1: network: 'statik' is not one of cells, static; did you mean 'static'?"),
)


BAD_RANGES: Final = (
    (
        "4..2",
        "1: workload.destinations: '4..2' is not a range of numbers of hosts; write an increasing range from 1 or more",
    ),
    (
        "0..2",
        "1: workload.destinations: '0..2' is not a range of numbers of hosts; write an increasing range from 1 or more",
    ),
    ("1..", "1: workload.destinations: '1..' is not a number of hosts; write a whole number of 1 or more, 'all', or"),
    ("1..20", "1: workload.destinations: 20 destinations are too many; with 20 hosts write 19 or less, or 'all'"),
    ("21..all", "1: workload.destinations: 21 destinations are too many; with 20 hosts write 19 or less, or 'all'"),
    ("1..9999999", "1: workload.destinations: '1..9999999' is not a range of numbers of hosts"),
)


@pytest.mark.parametrize(("expected", "error"), BAD_RANGES)
def test_a_mistake_in_a_range_of_destinations_causes_one_error_line(expected: str, error: str) -> None:
    with pytest.raises(UserError) as raised:
        loads(f"workload: {{kind: multicast, destinations: {expected}}}", "x.yaml")
    assert str(raised.value).startswith(f"x.yaml:{error}")


def test_a_unicast_has_no_range_of_destinations() -> None:
    with pytest.raises(UserError, match="a unicast goes to 1 host"):
        loads("workload: {destinations: 1..2}")


@pytest.mark.parametrize(
    ("text", "expected"), (("1..5", Between(1, 5)), (" 2 .. all ", Between(2, "all")), ("3..3", 3), ("4", 4))
)
def test_a_range_of_destinations_is_read_and_written(text: str, expected: object) -> None:
    scenario = loads(f"workload: {{kind: multicast, destinations: {text}}}")
    assert scenario.workload.destinations == expected
    assert Workload.model_validate(scenario.workload.model_dump(mode="json")) == scenario.workload


def test_the_number_and_the_choice_of_destinations_are_uniform() -> None:
    workload = Workload.model_validate({"kind": "multicast", "destinations": "1..all"})
    traffic = TrafficSource(workload, 6, Streams(1, 0), 2)
    drawn = [traffic.address()[0] for _ in range(5000)]
    numbers = Counter(map(len, drawn))
    hosts = Counter(host for destinations in drawn for host in destinations)
    assert set(numbers) == {1, 2, 3, 4, 5}
    assert all(count == pytest.approx(1000, rel=0.15) for count in numbers.values())
    assert set(hosts) == {0, 1, 3, 4, 5}
    assert all(count == pytest.approx(3000, rel=0.1) for count in hosts.values())
    assert all(list(destinations) == sorted(set(destinations)) for destinations in drawn)


def test_an_ordering_of_broadcasts_refuses_a_range() -> None:
    with pytest.raises(UserError, match="orders broadcasts; write 'destinations: all'"):
        loads("network: static\nprotocols: resident+bss\nworkload: {kind: multicast, destinations: 1..all}")


@pytest.mark.parametrize(("text", "error"), BAD)
def test_each_mistake_in_a_static_network_causes_one_error_line(text: str, error: str) -> None:
    with pytest.raises(UserError) as raised:
        loads(text, "x.yaml")
    assert str(raised.value) == f"x.yaml:{error}"


def test_a_static_network_alone_is_a_complete_scenario() -> None:
    scenario = loads("network: static")
    assert scenario.links is not None
    assert (scenario.links.delay, scenario.links.service) == (Exponential(S), "fifo")
    assert [choice.label for choice in scenario.protocols] == ["rst"]
    assert scenario.duration == 60 * S


def test_a_static_network_may_end_after_deliveries() -> None:
    scenario = loads("network: static\nlinks: {delay: 2 ms}\ndeliveries: 100\nwarm_up: {deliveries: 50}")
    assert scenario.links is not None
    assert (scenario.duration, scenario.messages, scenario.deliveries) == (None, None, 100)
    assert (scenario.links.delay, scenario.warm_up) == (Constant(2_000_000), WarmUp(deliveries=50))


def test_a_stored_static_network_has_only_sections_of_static_networks() -> None:
    texts = "network: static\nprotocols: rst", "protocols: rst"
    mesh, cells = (loads(text).model_dump(mode="json") for text in texts)
    assert set(cells) - set(mesh) == {"cells", "backbone", "wireless", "energy", "mobility", "processing"}
    assert set(mesh) - set(cells) == {"network", "links", "membership"}


@pytest.mark.parametrize("change", ("links: {service: independent}", "links: {delay: 1 s}", "deliveries: 7"))
def test_another_static_network_has_another_hash(change: str) -> None:
    assert loads(f"network: static\nduration: 60 s\n{change}").hash != loads("network: static").hash


def test_the_normal_form_of_a_static_network_is_a_valid_scenario() -> None:
    scenario = loads("network: static\nlinks: {bandwidth: 1 kbit/s}\ndeliveries: 9\nwarm_up: {deliveries: 3}")
    again = Scenario.model_validate({**scenario.normal_form(), "protocols": scenario.protocols})
    assert again.model_copy(update={"name": scenario.name}) == scenario


def test_validate_describes_a_static_network(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "still.yaml"
    file.write_text("network: static\nhosts: 5\ndeliveries: 100\n")
    assert main(["validate", str(file)]) == 0
    assert capsys.readouterr().out == "ok: still: 5 hosts, a static network, 1 protocol, 100 deliveries\n"
