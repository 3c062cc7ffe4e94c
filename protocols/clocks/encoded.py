"""Kshemkalyani, Khokhar and Shen: encoded vector clock, using primes to characterize causality (2018).

Process p has the p-th prime number. A clock is a single number, at first 1. An event multiplies the clock by the prime
of its process, a receipt takes the least common multiple with the message's clock. a happened before b if and only if
the number of a divides that of b, and they differ.

Size. The number has log2(prime) bits for each event in the past, so it grows without a limit, and soon needs more
integers of 32 bits than a vector clock. The paper proposes resets of all clocks when a limit is reached. Here there is
neither a limit nor a reset, and the answers stay exact.

Representation. A clock stores the exponents of the primes. The least common multiple then is the maximum of the
exponents, and a divisor has no larger exponent: large numbers are neither multiplied nor divided. The size that is
counted is that of the number.
"""

from functools import lru_cache
from math import log2
from operator import mul
from typing import Final

from mobilesim.protocols.clocks.logical_clock import ClockSystem, Network, ProcessClock, are_below, compare_stamps
from mobilesim.protocols.frozen_value import value

_BITS: Final = 32


@value
class EncodedStamp:
    exponents: tuple[int, ...]

    @property
    def integers(self) -> int:
        return integers_of(self.exponents)

    def precedes(self, other: "EncodedStamp") -> bool:
        return are_below(self.exponents, other.exponents)


class EncodedClock(ProcessClock[EncodedStamp]):
    __slots__ = ("_process", "exponents")

    def __init__(self, process: int, processes: int) -> None:
        self._process = process
        self.exponents = [0] * processes

    @property
    def integers(self) -> int:
        return integers_of(tuple(self.exponents))

    def tick(self) -> None:
        self.exponents[self._process] += 1

    def stamp(self) -> EncodedStamp:
        return EncodedStamp(tuple(self.exponents))

    def receive(self, stamp: EncodedStamp) -> EncodedStamp:
        self.exponents = list(map(max, self.exponents, stamp.exponents))
        self.tick()
        return stamp


def integers_of(exponents: tuple[int, ...]) -> int:
    """Return the number of integers of 32 bits that the product of the primes with these exponents fills."""
    return int(sum(map(mul, exponents, _logarithms(len(exponents))))) // _BITS + 1


@lru_cache(maxsize=16)
def _logarithms(processes: int) -> list[float]:
    return [log2(prime) for prime in primes(processes)]


def primes(number: int) -> list[int]:
    """Return the first prime numbers."""
    found: list[int] = []
    candidate = 1
    while len(found) < number:
        candidate += 1
        if all(candidate % prime for prime in found):
            found.append(candidate)
    return found


def build(network: Network) -> ClockSystem[EncodedStamp]:
    return ClockSystem([EncodedClock(process, network.size) for process in range(network.size)], compare_stamps)
