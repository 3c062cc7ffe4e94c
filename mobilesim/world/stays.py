"""The hosts that join and leave: the times of each, drawn once for all protocols of a replication."""

from dataclasses import dataclass

from mobilesim.errors import UserError
from mobilesim.scenario.model import Scenario
from mobilesim.scenario.sections.static_network import MOST_ARRIVALS
from mobilesim.world.random_streams import Streams, sampler


@dataclass(frozen=True, slots=True)
class Stay:
    """`registered`: when the membership service has the host's request, and gives it its number. `joined`: when the
    host has the answer, and can send. `left`: when it leaves; None if it stays. `reported`: when the service knows it.
    """

    registered: int = 0
    joined: int = 0
    left: int | None = None
    reported: int | None = None


def draw_stays(scenario: Scenario, streams: Streams) -> tuple[Stay, ...]:
    """Return the stays of all hosts by number: those of time 0, and those that join; () if there is no membership."""
    membership = scenario.membership
    if membership is None:
        return ()
    stays = [_stay(scenario, streams, host, None) for host in range(scenario.hosts)]
    if membership.arrive is None:
        return tuple(stays)
    assert scenario.duration is not None
    pause, now = sampler(membership.arrive, streams.stream("arrivals")), 0
    while (now := now + pause()) <= scenario.duration and len(stays) - scenario.hosts != membership.limit:
        if len(stays) - scenario.hosts == MOST_ARRIVALS:
            raise UserError(
                f"membership.arrive: more than {MOST_ARRIVALS:,} hosts join; write a longer time, or a 'limit'"
            )
        stays.append(_stay(scenario, streams, len(stays), now))
    return tuple(stays)


def _stay(scenario: Scenario, streams: Streams, host: int, registered: int | None) -> Stay:
    """Draw the times of a host that is registered at this time, or is a member from the start."""
    assert scenario.membership is not None
    assert scenario.links is not None
    stream = streams.stream("membership", host)
    delay = sampler(scenario.links.delay, stream)
    joined = 0 if registered is None else registered + delay()
    if scenario.membership.stay is None:
        return Stay(registered or 0, joined)
    left = joined + sampler(scenario.membership.stay, stream)()
    return Stay(registered or 0, joined, left, left + delay())
