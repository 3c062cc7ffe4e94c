"""Send times: at intervals, in bursts, and at different rates for different hosts."""

from math import ceil, isinf
from random import Random
from statistics import fmean

from mobilesim.scenario.sections.workload import Bursts, Workload
from mobilesim.world.random_streams import Sampler, Streams, residual_time, sampler


def send_times(workload: Workload, streams: Streams, host: int) -> tuple[Sampler, Sampler]:
    """Return samplers of the time until the first message, and from each message to the next."""
    pause = _at_rate(sampler(workload.interval, streams.stream("traffic", host)), workload.rates, host)
    first = (
        pause
        if workload.first_message is None
        else sampler(workload.first_message, streams.stream("first message", host))
    )
    if workload.bursts is None:
        return first, pause
    return (bursting := _Bursting(workload.bursts, streams, host)).spread(first), bursting.spread(pause)


def _at_rate(draw: Sampler, rates: tuple[int, ...] | None, host: int) -> Sampler:
    """Scale intervals by the mean of all rates over the host's rate."""
    if rates is None:
        return draw
    factor = fmean(rates) / rates[host % len(rates)]
    return lambda: ceil(draw() * factor)


class _Bursting:
    """Counts time in bursts only: an interval that is cut off at the end of a burst continues in the next one.

    It begins in the steady state, in a burst or in silence with their long-run probabilities. If one of them has no
    mean there is no steady state, and it begins with a burst.
    """

    def __init__(self, bursts: Bursts, streams: Streams, host: int) -> None:
        stream = streams.stream("bursts", host)
        self._length, self._silence = sampler(bursts.length, stream), sampler(bursts.silence, stream)
        self._silent, self._left = self._begin(bursts, stream)

    def _begin(self, bursts: Bursts, stream: Random) -> tuple[int, int]:
        """Draw the initial silence, and the rest of the burst after it."""
        sending, silent = bursts.length.mean, bursts.silence.mean
        if isinf(sending + silent):
            return 0, self._length()
        if stream.random() * (sending + silent) < sending:
            return 0, residual_time(bursts.length, stream)
        return residual_time(bursts.silence, stream), self._length()

    def spread(self, draw: Sampler) -> Sampler:
        def pause() -> int:
            wait, silent, self._silent = draw(), self._silent, 0
            while wait > self._left:
                wait -= self._left
                silent += self._left + self._silence()
                self._left = self._length()
            self._left -= wait
            return silent + wait

        return pause
