"""Losses of frames on wireless channels."""

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


class FrameLosses:
    """The losses of frames in one direction, with a random stream for each host.

    `most`: the limit of attempts, if there is one.
    """

    __slots__ = ("_bursty", "_most", "_streams", "_wireless")

    def __init__(self, world: World, purpose: str, most: int | None) -> None:
        wireless, bursts = world.scenario.wireless, world.scenario.wireless.bursts
        self._wireless, self._most = wireless, UNLIMITED if most is None else most
        self._streams = [world.streams.stream(purpose, host) for host in range(world.scenario.hosts)]
        self._bursty: list[BurstyLoss] | None = None
        if bursts is not None:
            self._bursty = [BurstyLoss(bursts, wireless.loss, stream) for stream in self._streams]

    def attempts(self, host: int, size: int, start: int, every: int) -> int:
        """Draw the number of attempts until a frame is received, or a larger number than the limit. `start`: of the
        first attempt. `every`: the time between two starts.
        """
        if self._bursty is not None:
            return self._bursty[host].attempts(start, every, self._most)
        lost = _probability(self._wireless, size)
        return 1 + int(log(1.0 - self._streams[host].random()) / log(lost)) if lost else 1

    def lost(self, host: int, size: int, start: int) -> bool:
        """Draw whether one attempt is lost."""
        if self._bursty is not None:
            return self._bursty[host].lost(start)
        return self._streams[host].random() < _probability(self._wireless, size)


def frame_losses(world: World, purpose: str, most: int | None = None) -> FrameLosses | None:
    """Return the losses of frames in one direction; None without loss."""
    return FrameLosses(world, purpose, most) if world.scenario.wireless.lossy else None


def _probability(wireless: Wireless, size: int) -> float:
    """Return the probability that a frame of `size` bytes is lost, without bursts."""
    lost = wireless.loss or -expm1(8 * size * log1p(-wireless.bit_error_rate))
    if lost > 1 - _LEAST:
        message = f"of frames of {size} B, fewer than one in 1000 would be received"
        raise UserError(f"wireless.bit_error_rate: {message}")
    return lost
