"""When a host speaks: at intervals, perhaps only in bursts, some hosts more often than others."""

from math import ceil, isinf
from random import Random
from statistics import fmean

from mobilesim.scenario.sections.workload import Bursts, Workload
from mobilesim.world.random_streams import Sampler, Streams, sampler
from mobilesim.world.residual_time import residual_time


def send_times(workload: Workload, streams: Streams, host: int) -> tuple[Sampler, Sampler]:
    """The time until its first message, and from each to the next."""
    pause = _paced(sampler(workload.interval, streams.stream("traffic", host)), workload.rates, host)
    first = (
        pause
        if workload.first_message is None
        else sampler(workload.first_message, streams.stream("first message", host))
    )
    if workload.bursts is None:
        return first, pause
    return (bursting := _Bursting(workload.bursts, streams, host)).around(first), bursting.around(pause)


def _paced(draw: Sampler, rates: tuple[int, ...] | None, host: int) -> Sampler:
    """Intervals as long as the host's rate is small: the mean of all rates has the interval of the workload."""
    if rates is None:
        return draw
    factor = fmean(rates) / rates[host % len(rates)]
    return lambda: ceil(draw() * factor)


class _Bursting:
    """Time counts in bursts only; what is left of an interval when one ends goes on in the next.

    It begins in the steady state: in a burst or between two, as often as at any time later. Without a mean of both
    there is none, and it begins with a burst.
    """

    __slots__ = ("_left", "_length", "_silence", "_silent")

    def __init__(self, bursts: Bursts, streams: Streams, host: int) -> None:
        stream = streams.stream("bursts", host)
        self._length, self._silence = sampler(bursts.length, stream), sampler(bursts.silence, stream)
        self._silent, self._left = self._begin(bursts, stream)

    def _begin(self, bursts: Bursts, stream: Random) -> tuple[int, int]:
        """How long it is silent at first, and how long the burst then lasts."""
        speaks, silent = bursts.length.mean, bursts.silence.mean
        if isinf(speaks + silent):
            return 0, self._length()
        if stream.random() * (speaks + silent) < speaks:
            return 0, residual_time(bursts.length, stream)
        return residual_time(bursts.silence, stream), self._length()

    def around(self, draw: Sampler) -> Sampler:
        def pause() -> int:
            wait, silent, self._silent = draw(), self._silent, 0
            while wait > self._left:
                wait -= self._left
                silent += self._left + self._silence()
                self._left = self._length()
            self._left -= wait
            return silent + wait

        return pause
