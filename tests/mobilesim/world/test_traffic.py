"""The senders, destinations and rates of messages: groups, selectivity, and hosts with different rates."""

from collections import Counter
from itertools import combinations
from math import ceil
from pathlib import Path
from statistics import fmean
from typing import Any, Final

import pytest

from mobilesim.errors import UserError
from mobilesim.scenario.loader import loads
from mobilesim.scenario.model import Scenario
from mobilesim.world.replication import World, build_world
from mobilesim.world.traffic.messages import TrafficSource, traffic_sources
from tests.support.simulations import simulate

DRAWS: Final = 4000
RANGE: Final[dict[str, Any]] = {"kind": "multicast", "destinations": "1..3"}


def world_with_groups(groups: object, hosts: int = 7, replication: int = 0, **settings: Any) -> World:  # noqa: ANN401
    return build_world(Scenario.model_validate({"hosts": hosts, "groups": groups, **settings}), replication)


def traffic_source(host: int = 0, hosts: int = 8, **workload: Any) -> TrafficSource:  # noqa: ANN401 - settings
    made = traffic_sources(build_world(Scenario.model_validate({"hosts": hosts, "workload": workload}), 0))
    return made[host]


def destinations_of(number: int = DRAWS, **settings: Any) -> list[tuple[int, ...]]:  # noqa: ANN401 - settings
    one = traffic_source(**settings)
    return [one.address()[0] for _ in range(number)]


@pytest.mark.parametrize(
    ("groups", "made"),
    (
        ([[2, 0], [1, 2, 3]], ((0, 2), (1, 2, 3))),
        ({"rule": "ring", "size": 3}, ((0, 1, 2), (1, 2, 3), (2, 3, 4), (3, 4, 5), (4, 5, 6), (0, 5, 6), (0, 1, 6))),
        ({"rule": "star"}, tuple((0, host) for host in range(1, 7))),
        ({"rule": "blocks", "size": 4, "overlap": 1}, ((0, 1, 2, 3), (3, 4, 5, 6))),
        ({"rule": "blocks", "size": 5, "overlap": 2}, ((0, 1, 2, 3, 4), (3, 4, 5, 6))),
        ({"rule": "blocks", "size": 5}, ((0, 1, 2, 3, 4), (5, 6))),
        ({"rule": "blocks", "size": 7}, (tuple(range(7)),)),
        ({"rule": "links", "graph": "ring"}, ((0, 1), (0, 6), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6))),
        ({"rule": "links", "graph": "tree"}, ((0, 1), (0, 2), (1, 3), (1, 4), (2, 5), (2, 6))),
        ({"rule": "links", "graph": "tree", "branching": 6}, tuple((0, host) for host in range(1, 7))),
        ({"rule": "links", "graph": "complete"}, tuple(combinations(range(7), 2))),
    ),
)
def test_each_rule_creates_its_groups(groups: object, made: object) -> None:
    assert world_with_groups(groups).groups == made
    scenario = Scenario.model_validate({"hosts": 7, "groups": groups})
    assert scenario.most_destinations == max(len(group) for group in world_with_groups(groups).groups) - 1


def test_random_groups_depend_on_the_replication_and_not_on_the_protocol() -> None:
    rule = {"rule": "random", "number": 40, "size": 4}
    drawn = world_with_groups(rule).groups
    assert drawn == world_with_groups(rule, protocols="rst").groups
    assert drawn != world_with_groups(rule, replication=1).groups
    assert drawn != world_with_groups(rule, seed=2).groups
    assert [len(set(group)) for group in drawn] == [4] * 40
    assert {host for group in drawn for host in group} == set(range(7))


def graph_file(path: Path, nodes: int, edges: str) -> Path:
    lines = "".join(f'<node id="n{number}"/>' for number in range(nodes))
    path.write_text(
        f'<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="undirected">{lines}{edges}'
        "</graph></graphml>"
    )
    return path


def test_each_link_of_a_file_is_a_group_of_two_hosts(tmp_path: Path) -> None:
    edge = '<edge source="n2" target="n0"/>'
    rule = {"rule": "links", "graph": graph_file(tmp_path / "g.graphml", 7, edge)}
    assert world_with_groups(rule).groups == ((0, 2),)
    with pytest.raises(UserError, match=r"g.graphml has 7 nodes for 8 hosts; write the same number of both$"):
        world_with_groups(rule, hosts=8)
    with pytest.raises(UserError, match=r"g.graphml has no links, and a group needs two hosts$"):
        world_with_groups({"rule": "links", "graph": graph_file(tmp_path / "g.graphml", 7, "")})


def test_a_file_of_too_many_links_is_refused(tmp_path: Path) -> None:
    """A rule with too many groups is refused before groups are created."""
    hosts = 142
    edges = "".join(f'<edge source="n{one}" target="n{other}"/>' for one, other in combinations(range(hosts), 2))
    rule = {"rule": "links", "graph": graph_file(tmp_path / "g.graphml", hosts, edges)}
    with pytest.raises(UserError, match=r"g.graphml: 10011 links are too many; the maximum is 10000$"):
        world_with_groups(rule, hosts=hosts)


def test_only_members_send_and_only_to_all_others_of_a_group() -> None:
    world = world_with_groups([[0, 1, 2], [1, 4], [1, 2, 5, 6]])
    made = traffic_sources(world)
    assert set(made) == {0, 1, 2, 4, 5, 6}
    for host, one in made.items():
        seen = Counter(one.address() for _ in range(DRAWS))
        own = [number for number, group in enumerate(world.groups) if host in group]
        assert set(seen) == {(tuple(sorted({*world.groups[number]} - {host})), number, 100) for number in own}
        assert all(count == pytest.approx(DRAWS / len(own), rel=0.1) for count in seen.values())


def test_of_the_first_hosts_only_members_of_groups_send() -> None:
    assert set(traffic_sources(world_with_groups([[1, 4], [4, 5]], workload={"senders": 5}))) == {1, 4}
    assert set(traffic_sources(world_with_groups(None, workload={"senders": 5}))) == set(range(5))


@pytest.mark.parametrize(
    "settings",
    (
        {"workload": {"senders": 0}},
        {"workload": {"senders": 1}, "groups": {"rule": "random", "number": 1, "size": 2}},
    ),
)
@pytest.mark.parametrize("network", ("cells", "static"))
def test_without_senders_a_limit_of_messages_is_ignored(network: str, settings: dict[str, Any], tmp_path: Path) -> None:
    scenario = Scenario.model_validate({"network": network, "protocols": "rst", "messages": 9, **settings})
    assert traffic_sources(build_world(scenario, 0)) == {}
    run = simulate(scenario, tmp_path)
    assert (run.outcome.status, run.simulation.sent, run.simulation.engine.time) == ("complete", 0, 0)


def test_without_senders_hosts_move_until_the_end(tmp_path: Path) -> None:
    run = simulate(Scenario.model_validate({"duration": "30 s", "workload": {"senders": 0}}), tmp_path)
    assert len(run.rows("handoffs")) > 20


def test_groups_do_not_change_send_times() -> None:
    free, grouped = traffic_sources(world_with_groups(None)), traffic_sources(world_with_groups([[0, 3]]))
    assert [grouped[3].pause() for _ in range(9)] == [free[3].pause() for _ in range(9)]


@pytest.mark.parametrize("host", (0, 3))
def test_with_full_selectivity_all_destinations_have_the_parity_of_the_source(host: int) -> None:
    drawn = destinations_of(host=host, selectivity=1.0, **RANGE)
    alike = {other for other in range(8) if other % 2 == host % 2} - {host}
    shares = Counter(other for destinations in drawn for other in destinations)
    assert set(shares) == alike
    assert all(share == pytest.approx(DRAWS * 2 / 3, rel=0.1) for share in shares.values())
    assert all(list(destinations) == sorted(set(destinations)) for destinations in drawn)


def test_a_selectivity_adds_destinations_of_equal_parity_to_random_ones() -> None:
    drawn = destinations_of(host=2, selectivity=0.75)
    share = fmean(destinations[0] % 2 == 0 for destinations in drawn)
    assert share == pytest.approx(0.75 + 0.25 * 3 / 7, abs=0.02)


def test_selectivity_changes_only_the_destinations_that_it_selects() -> None:
    plain, often = traffic_source(host=1, **RANGE), traffic_source(host=1, selectivity=0.5, **RANGE)
    assert [plain.pause() for _ in range(50)] == [often.pause() for _ in range(50)]
    pairs = [(plain.address()[0], often.address()[0]) for _ in range(DRAWS)]
    assert all(len(one) == len(other) for one, other in pairs)
    same = fmean(one == other for one, other in pairs)
    assert 0.5 < same < 0.75
    assert all(one == other or all(host % 2 for host in other) for one, other in pairs)


def test_rates_scale_intervals_and_keep_the_mean_rate_of_the_workload() -> None:
    interval: dict[str, Any] = {"interval": "exponential 1 s", "rates": [1, 3]}
    slow, fast = (traffic_source(host, **interval) for host in (2, 3))
    second, third = (traffic_source(host, interval="exponential 1 s") for host in (2, 3))
    assert [slow.pause() for _ in range(50)] == [2 * second.pause() for _ in range(50)]
    assert [fast.pause() for _ in range(50)] == [ceil(third.pause() * (2 / 3)) for _ in range(50)]


def test_rates_do_not_change_destinations() -> None:
    assert destinations_of(50, host=3, rates=[2, 5, 1], **RANGE) == destinations_of(50, host=3, **RANGE)


@pytest.mark.parametrize("network", ("cells", "static"))
@pytest.mark.parametrize("protocol", ("rst", "resident+isis"))
def test_messages_of_a_run_go_to_groups(network: str, protocol: str, tmp_path: Path) -> None:
    """The ordering `isis` fails unless it receives the list of groups."""
    groups = ((0, 1, 2), (2, 3, 4, 5))
    text = f"network: {network}\nhosts: 7\nmessages: 60\nprotocols: {protocol}\ngroups: [[0, 1, 2], [2, 3, 4, 5]]\n"
    run = simulate(loads(text), tmp_path)
    sent = [({row["source"], *row["destinations"]}, row["source"]) for row in run.rows("messages")]
    assert len(sent) == 60
    assert {frozenset(members) for members, _ in sent} == {frozenset(group) for group in groups}
    assert {source for _, source in sent} == set(range(6))
    assert run.outcome.verdict == "ok"


def test_half_of_the_hosts_of_a_run_send_three_times_as_often(tmp_path: Path) -> None:
    text = "network: static\nhosts: 10\nmessages: 4000\nprotocols: rst\nworkload: {rates: [3, 1]}\n"
    run = simulate(loads(text), tmp_path)
    sent = Counter(row["source"] % 2 for row in run.rows("messages"))
    assert sent[0] / sent[1] == pytest.approx(3, rel=0.1)
    last = max(row["submitted"] for row in run.rows("messages"))
    assert 4000 / last * 1e9 / 10 == pytest.approx(1, rel=0.1)
