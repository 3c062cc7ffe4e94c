"""Faults of a protocol: their kinds, and the oracle's answers as faults."""

from collections.abc import Sequence
from enum import StrEnum

from mobilesim.oracle.causal_order import Oracle
from mobilesim.protocols.catalogue_rows import Claims
from mobilesim.protocols.frozen_value import value
from mobilesim.protocols.packets import Message


class FaultKind(StrEnum):
    """The kinds of faults. SHORT_CHAIN: a message was overtaken along a causal chain of two messages; OVERTAKES: along
    a longer chain, or along any chain if the oracle does not judge short chains. Two kinds are detected when nothing is
    in transit: LOST if a message is still due, and KEPT if a station still stores data. FAILED: a machine raised an
    exception.
    """

    OVERTAKES = "overtakes"
    SHORT_CHAIN = "overtakes along a short chain"
    OUT_OF_TURN = "out of turn"
    NOT_DUE = "not due"
    LOST = "lost"
    KEPT = "kept"
    FAILED = "failed"


@value
class Fault:
    """A fault at `host`. `other`: the message that `message` overtook. The kind is OUT_OF_TURN if both have the same
    source. `reason`: the exception of a failed machine, or the data that a station keeps.
    """

    kind: FaultKind
    host: int = -1
    message: int = -1
    other: int = -1
    reason: str = ""


def judge_delivery(oracle: Oracle, host: int, message: Message) -> Fault | None:
    duplicates, fifo, short = oracle.duplicates, oracle.fifo, oracle.short
    overtaken = oracle.delivered(message.id, message.source, host)
    if oracle.duplicates > duplicates:
        return Fault(FaultKind.NOT_DUE, host, message.id)
    if overtaken < 0:
        return None
    chain = FaultKind.SHORT_CHAIN if oracle.short > short else FaultKind.OVERTAKES
    return Fault(FaultKind.OUT_OF_TURN if oracle.fifo > fifo else chain, host, message.id, overtaken)


def judge_drop(oracle: Oracle, host: int, message: Message) -> Fault | None:
    due = oracle.dropped(message.id, message.source, host)
    return None if due else Fault(FaultKind.NOT_DUE, host, message.id, reason="dropped")


def undelivered(oracle: Oracle) -> Sequence[Fault]:
    return [Fault(FaultKind.LOST, host, message) for message, host in oracle.lost()]


def tolerated_faults(claims: Claims) -> frozenset[FaultKind]:
    """Return the kinds of faults that a protocol does not claim to avoid."""
    claimed = {
        FaultKind.OVERTAKES: claims.causal,
        FaultKind.SHORT_CHAIN: claims.causal or claims.short_chains,
        FaultKind.OUT_OF_TURN: claims.fifo,
    }
    return frozenset(kind for kind, is_claimed in claimed.items() if not is_claimed)


def short_chains_decide(tolerated: frozenset[FaultKind]) -> bool:
    """Return whether a violation of causal order is a fault only if it is along a short chain."""
    return FaultKind.OVERTAKES in tolerated and FaultKind.SHORT_CHAIN not in tolerated
