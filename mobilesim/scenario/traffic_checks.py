"""Consistency checks of a scenario's hosts, workload, groups and protocols."""

from collections.abc import Iterator, Mapping
from math import isinf
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mobilesim.errors import counted
from mobilesim.protocols import catalogue
from mobilesim.scenario.message_file import messages
from mobilesim.scenario.sections.groups import ListedGroups
from mobilesim.scenario.sections.workload import Between
from mobilesim.scenario.values.distributions import Distribution, Pareto
from mobilesim.scenario.values.validation_error import Fault

if TYPE_CHECKING:
    from mobilesim.scenario.model import Scenario

_NOT_BESIDE_GROUPS: Final = ("kind", "destinations", "selectivity")
_MOST_ANSWERS: Final = 10_000_000
"""The largest expected number of answers that is allowed in a scenario without a limit of messages."""


def ends(raw: Mapping[str, Any]) -> bool:
    """Return whether a scenario (raw YAML data) ends with the last message of a file of messages."""
    workload = raw.get("workload")
    replay = workload.get("replay") if isinstance(workload, Mapping) else getattr(workload, "replay", None)
    return replay is not None


def most_destinations(scenario: "Scenario") -> int:
    if scenario.workload.replay is not None:
        return max(messages(scenario.workload.replay).destination_counts(scenario.hosts))
    if scenario.groups is not None:
        return scenario.groups.largest - 1
    wanted = scenario.workload.destinations
    most = wanted.most if isinstance(wanted, Between) else wanted
    return scenario.hosts - 1 if most == "all" else most


def _fewest_destinations(scenario: "Scenario") -> int:
    if scenario.workload.replay is not None:
        return min(messages(scenario.workload.replay).destination_counts(scenario.hosts))
    wanted = scenario.workload.destinations
    return wanted.fewest if isinstance(wanted, Between) else most_destinations(scenario)


def destination_bounds(scenario: "Scenario") -> tuple[int, int]:
    """Return the smallest and the largest number of destinations of a message of a host."""
    return (1 if scenario.groups is not None else _fewest_destinations(scenario)), most_destinations(scenario)


def written(scenario: "Scenario", settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings to write: without `groups` if there are no groups, else without the keys they replace."""
    if scenario.groups is None:
        return {key: value for key, value in settings.items() if key != "groups"}
    workload = {key: value for key, value in settings["workload"].items() if key not in _NOT_BESIDE_GROUPS}
    return {**settings, "workload": workload}


def faults(scenario: "Scenario") -> Iterator[Fault]:
    hosts, workload = scenario.hosts, scenario.workload
    if workload.senders is not None and workload.senders > hosts:
        yield Fault(f"{workload.senders} senders are more than the {counted(hosts, 'host')}", ("workload", "senders"))
    if workload.rates is not None and len(workload.rates) > hosts:
        yield Fault(f"{len(workload.rates)} rates are more than the {counted(hosts, 'host')}", ("workload", "rates"))
    if hosts == 1 and (workload.senders != 0 or scenario.groups is not None):
        yield Fault("a single host has no destinations; write 2 or more", ("hosts",))
    elif workload.replay is not None:
        if message := _replay_fault(scenario, workload.replay):
            yield Fault(message, ("workload", "replay"))
            return
    elif scenario.groups is not None:
        yield from _group_faults(scenario)
    elif hosts > 1:
        yield from _destination_faults(scenario)
    yield from _station_faults(scenario)
    yield from _conversation_faults(scenario)
    yield from _protocol_faults(scenario)


def _destination_faults(scenario: "Scenario") -> Iterator[Fault]:
    hosts = scenario.hosts
    most = max(_fewest_destinations(scenario), most_destinations(scenario))
    if most >= hosts:
        message = f"{most} destinations are too many; with {counted(hosts, 'host')} write {hosts - 1} or less, or 'all'"
        yield Fault(message, ("workload", "destinations"))
    elif scenario.workload.selectivity and scenario.workload.senders != 0:
        one_alone = scenario.workload.senders == 1
        alike = (hosts + one_alone) // 2 - 1
        if most > alike:
            others = f"the other hosts with an even or odd number like the source's may be as few as {alike}"
            message = f"{others}, but there are {most} destinations; write more hosts, or fewer destinations"
            yield Fault(message, ("workload", "selectivity"))


def _replay_fault(scenario: "Scenario", file: Path) -> str | None:
    if scenario.groups is not None:
        return "the file of messages determines the destinations; leave the groups or the file out"
    try:
        most = messages(file).most
    except ValueError as error:
        return str(error)
    if most < scenario.hosts:
        return None
    return f"{file} has messages of host {most}; hosts are numbered from 0 to {scenario.hosts - 1}"


def _group_faults(scenario: "Scenario") -> Iterator[Fault]:
    groups, workload = scenario.groups, scenario.workload
    assert groups is not None
    reason = "with groups a message goes to all other members of a group"
    remedy = "leave this key out, or leave the groups out"
    if workload.replies is not None:
        yield Fault(f"answers are not supported with groups; {remedy}", ("workload", "replies"))
    for key in _NOT_BESIDE_GROUPS:
        if key in workload.model_fields_set:
            yield Fault(f"{reason}; {remedy}", ("workload", key))
    if workload.stations is not None:
        yield Fault(f"groups have no stations; {remedy}", ("workload", "stations"))
    yield from (fault.under("groups") for fault in groups.size_faults(scenario.hosts))
    if isinstance(groups, ListedGroups) and workload.senders:
        first = min(group[0] for group in groups.root)
        if first >= workload.senders:
            message = f"none of the first {workload.senders} hosts is in a group; the first host in a group is {first}"
            yield Fault(message, ("workload", "senders"))


def _station_faults(scenario: "Scenario") -> Iterator[Fault]:
    stations = scenario.workload.stations
    if stations is not None and stations.destinations != "all" and stations.destinations > scenario.hosts:
        message = f"{stations.destinations} destinations are more than the {counted(scenario.hosts, 'host')}"
        yield Fault(message, ("workload", "stations", "destinations"))


def _conversation_faults(scenario: "Scenario") -> Iterator[Fault]:
    replies = scenario.workload.replies
    if replies is None or scenario.messages is not None:
        return
    begun, time = _initial_messages(scenario)
    copies = (_fewest_destinations(scenario) + most_destinations(scenario)) / 2
    way = 2 * scenario.wireless.latency if scenario.links is None else scenario.links.delay.mean
    expected = begun * replies.following(copies, time, way)
    if expected > _MOST_ANSWERS:
        many = f"about {expected:,.0f}" if expected < 1e15 else "infinitely many"
        message = f"{begun:,.0f} messages would be followed by {many} answers"
        cure = "write a smaller probability or 'max_rounds', or limit the run with 'messages'"
        yield Fault(f"{message}; {cure}", ("workload", "replies"))


def _initial_messages(scenario: "Scenario") -> tuple[float, float]:
    """Return the expected number of messages that are not answers, and the time in which these are sent."""
    workload, time = scenario.workload, scenario.duration or 0
    if workload.replay is not None:
        recorded = messages(workload.replay)
        return len(recorded), time or recorded.times[-1]
    bursts, talking = workload.bursts, 1.0
    if bursts is not None and not isinf(bursts.length.mean):
        talking = bursts.length.mean / (bursts.length.mean + bursts.silence.mean)
    senders = scenario.hosts if workload.senders is None else workload.senders
    return senders * talking * _intervals(workload.interval, time), time


def _intervals(interval: Distribution, time: float) -> float:
    """Return the expected number of intervals in a time: an estimate for a Pareto distribution without a mean."""
    if isinstance(interval, Pareto) and isinf(interval.mean):
        return float(max(1.0, time / interval.minimum) ** interval.shape)
    return time / interval.mean


def _protocol_faults(scenario: "Scenario") -> Iterator[Fault]:
    for index, choice in enumerate(scenario.protocols):
        row = catalogue.ordering_row(choice.ordering)
        serves, setting = row.serves, row.fifo_setting(dict(choice.options))
        if setting is not None and not _fifo_channels(scenario):
            links = scenario.links is not None
            remedy = "'links: {service: fifo}'" if links else "'mobility: {model: static}' and 'backbone: {fifo: true}'"
            message = f"with '{setting}', {choice.ordering} needs FIFO channels between hosts; write {remedy}"
            yield Fault(f"{message}, or leave this option out", ("protocols", index))
        if serves == "groups" and scenario.groups is None:
            message = f"{choice.label} orders messages to groups; write 'groups' too, or leave that protocol out"
            yield Fault(message, ("protocols", index))
        elif serves == "broadcasts" and not _broadcasts(scenario):
            yield _misfit(scenario, f"{choice.label} orders broadcasts", "destinations: all")
        elif serves == "unicasts" and not _unicasts(scenario):
            yield _misfit(scenario, f"{choice.label} orders unicasts", "kind: unicast")


def _fifo_channels(scenario: "Scenario") -> bool:
    """Return whether packets from one host to another keep their order. If a host moves, packets to its old and its new
    station may overtake each other.
    """
    if scenario.links is not None:
        return scenario.links.keeps_order
    return scenario.mobility.model == "static" and scenario.backbone.fifo


def _misfit(scenario: "Scenario", reason: str, setting: str) -> Fault:
    """Return the fault of a protocol that cannot order the scenario's messages. It names the setting that causes it."""
    key = setting.partition(":")[0]
    if scenario.groups is not None:
        return Fault(f"{reason}; write '{setting}' instead, or leave that protocol out", ("groups",))
    if scenario.workload.replay is not None:
        return Fault(f"{reason}, and the file has other messages; leave that protocol out", ("workload", "replay"))
    if _answered(scenario) and key == "destinations":
        return Fault(
            f"{reason}, and answers are unicasts; leave the answers or that protocol out", ("workload", "replies")
        )
    if scenario.workload.stations is not None:
        message = f"{reason} of hosts; leave the stations' messages out, or that protocol"
        return Fault(message, ("workload", "stations"))
    return Fault(f"{reason}; write '{setting}', or leave that protocol out", ("workload", key))


def _broadcasts(scenario: "Scenario") -> bool:
    everywhere = _fewest_destinations(scenario) >= scenario.hosts - 1
    if scenario.membership is not None:
        # The number of members changes.
        everywhere = scenario.workload.destinations == "all"
    return everywhere and _only_hosts_send(scenario) and not _answered(scenario)


def _unicasts(scenario: "Scenario") -> bool:
    workload = scenario.workload
    unicast = workload.kind == "unicast" if workload.replay is None else most_destinations(scenario) == 1
    return unicast and _only_hosts_send(scenario)


def _only_hosts_send(scenario: "Scenario") -> bool:
    return scenario.groups is None and scenario.workload.stations is None


def _answered(scenario: "Scenario") -> bool:
    """Return whether there are answers that are not broadcasts.

    An answer to the source is a broadcast if there are only two hosts. An answer to all is a broadcast, too, if the
    messages are broadcasts.
    """
    replies = scenario.workload.replies
    return replies is not None and replies.to == "source" and scenario.hosts > 2
