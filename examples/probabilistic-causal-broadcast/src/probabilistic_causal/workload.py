"""Waves: the rate of all hosts rises and falls together, as a sine with a period.

Destinations and sizes are those of the scenario's other keys. Waves show what probabilistic order depends on: the
number of messages that are in transit at the same time.
"""

from math import pi, sin

from mobilesim.contract.models import Chance, Section, Time, TrafficSource, WorkloadRow, declares, setting


class Waves(Section):
    period: Time = setting("10 s", "The time from one wave to the next.")
    depth: Chance = setting(0.8, "The part of the rate that rises and falls: 0: constant; 1: down to no messages.")


ROW = WorkloadRow(Waves, "the message rate of all hosts rises and falls together")


@declares(ROW, contract=1)
def waves(settings: Waves, traffic: TrafficSource) -> None:
    now = 0
    first, usual = traffic.first, traffic.pause

    def stretched(pause: int) -> int:
        nonlocal now
        rate = 1 + settings.depth * sin(2 * pi * now / max(1, settings.period))
        wait = max(1, int(pause / max(rate, 0.01)))
        now += wait
        return wait

    traffic.first = lambda: stretched(first())
    traffic.pause = lambda: stretched(usual())
