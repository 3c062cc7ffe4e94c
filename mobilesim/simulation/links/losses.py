"""Losses of frames on wireless channels: the number of attempts until a frame is received."""

from collections.abc import Callable
from math import exp, expm1, log, log1p
from random import Random
from typing import Final

from mobilesim.errors import UserError
from mobilesim.scenario.sections.wireless import Bursts, Wireless
from mobilesim.world.replication import World

UNLIMITED: Final = 1 << 60
"""A limit of attempts that is never reached. Compiled code handles numbers below 2^62 without Python objects."""

_LEAST: Final = 0.001
"""The smallest probability of a successful attempt that is simulated."""

DrawLoss = Callable[[int, int, int], bool]
"""Draws whether one attempt is lost. Arguments: the host and the size of the frame, and the start of the attempt."""

DrawAttempts = Callable[[int, int, int, int], int]
"""Draws the number of attempts until a frame is received, or a larger number than the limit. Arguments: the host and
the size of the frame, the start of the first attempt, and the time between two starts.
"""


class BurstyLoss:
    """Losses of the Gilbert-Elliott model on the channel of one host. The state of the channel is drawn at the start of
    each attempt, from the state and the time of the previous attempt.
    """

    __slots__ = ("at", "bad", "bad_loss", "bad_share", "decay", "good_loss", "random")

    def __init__(self, bursts: Bursts, loss: float, random: Random) -> None:
        self.random, self.good_loss, self.bad_loss = random, loss, bursts.loss
        self.bad_share = bursts.length / (bursts.length + bursts.every)
        self.decay = 1 / bursts.length + 1 / bursts.every
        self.bad = random.random() < self.bad_share
        self.at = 0

    def attempts(self, start: int, every: int, most: int) -> int:
        number = 1
        while number <= most and self.lost(start):
            number += 1
            start += every
        return number

    def lost(self, moment: int) -> bool:
        """Return whether a frame that starts now is lost."""
        random = self.random.random
        kept = exp(-self.decay * max(0, moment - self.at))
        self.at = max(moment, self.at)
        self.bad = random() < self.bad_share * (1 - kept) + (kept if self.bad else 0)
        return random() < (self.bad_loss if self.bad else self.good_loss)


def attempts_drawer(world: World, purpose: str, most: int | None = None) -> DrawAttempts | None:
    """Return a function for the frame loss of the scenario, with a random stream for each host; None without loss.

    `most`: the limit of attempts, if there is one.
    """
    limit = UNLIMITED if most is None else most
    wireless, hosts = world.scenario.wireless, world.scenario.hosts
    if not wireless.lossy:
        return None
    streams = [world.streams.stream(purpose, host) for host in range(hosts)]
    if (bursts := wireless.bursts) is not None:
        channels = [BurstyLoss(bursts, wireless.loss, stream) for stream in streams]
        return lambda host, _size, start, every: channels[host].attempts(start, every, limit)

    def attempts(host: int, size: int, _start: int, _every: int) -> int:
        lost = _probability(wireless, size)
        return 1 + int(log(1.0 - streams[host].random()) / log(lost)) if lost else 1

    return attempts


def loss_drawer(world: World, purpose: str) -> DrawLoss | None:
    """Return a function for the loss of single attempts, with a random stream for each host; None without loss."""
    wireless, hosts = world.scenario.wireless, world.scenario.hosts
    if not wireless.lossy:
        return None
    streams = [world.streams.stream(purpose, host) for host in range(hosts)]
    if (bursts := wireless.bursts) is not None:
        channels = [BurstyLoss(bursts, wireless.loss, stream) for stream in streams]
        return lambda host, _size, start: channels[host].lost(start)
    return lambda host, size, _start: streams[host].random() < _probability(wireless, size)


def _probability(wireless: Wireless, size: int) -> float:
    """Return the probability that a frame of `size` bytes is lost, without bursts."""
    lost = wireless.loss or -expm1(8 * size * log1p(-wireless.bit_error_rate))
    if lost > 1 - _LEAST:
        message = f"of frames of {size} B, fewer than one in 1000 would be received"
        raise UserError(f"wireless.bit_error_rate: {message}")
    return lost
