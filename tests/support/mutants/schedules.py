"""Hand-written schedules that show the faults of mutants for which the search takes long."""

from tests.support.protocols.script import Script


def unicast_notify(script: Script) -> Script:
    """Host 1 moves from s1 to s2. s0 is notified before s1."""
    script.submit(0, 1, 2).move(1, 2).up(1).wire("Notify", 0).up(0).wire("Last", 1, source=0).wire("VisitPacket", 1)
    script.down(1, 2).up(2).submit(2, 0, 1).up(2).wire("HandoffBegin", 1).wire("VisitPacket", 2)
    return script.wire("Enable", 2).down(1)


def unordered_notify(script: Script) -> Script:
    """Host 1 moves from s1 to s0. A later message of host 0 overtakes `notify`."""
    script.submit(0, 1, 2).move(1, 0).up(1).wire("Last", 1).up(0).wire("VisitPacket", 1).down(1, 2).up(2)
    return script.submit(2, 0, 1).up(2).wire("VisitPacket", 0).wire("HandoffBegin", 1).wire("Enable", 0).down(1)


def unordered_last(script: Script) -> Script:
    """Host 1 moves from s1 to s2. The `last` of s0 overtakes an earlier message of s0."""
    script.submit(0, 1).up(0).submit(0, 1).move(1, 2).up(1).wire("Notify", 0)
    script.wire("Last", 1).wire("Last", 1).wire("Notify", 1).wire("HandoffBegin", 1)
    return script.wire("Enable", 2).wire("Over", 2).up(0).wire("VisitPacket", 2).down(1, 1)


def unnamed_visit(script: Script) -> Script:
    """Host 0 moves to s1 and back. A message for its first visit to s0 arrives after its second registration at s0."""
    script.submit(1, 0).up(1).submit(1, 0).move(0, 1).up(0, 1).move(0, 0).up(0).wire("VisitPacket", 0)
    script.wire("HandoffBegin", 0).wire("Notify", 0).wire("Last", 0).wire("HandoffBegin", 1)
    script.wire("Notify", 1).wire("Enable", 1).wire("Last", 1)
    return script.wire("Over", 1).wire("Enable", 0).down(0, 0)


def all_rolled_back(script: Script) -> Script:
    """Host 1 has received m1 with a frame number that its next station assigns to m0."""
    script.submit(0, 1).up(0).submit(2, 1).up(2).wire("Flooded", 0).down(1)
    return script.move(1, 0).up(1).wire("HandoffBegin", 1).wire("Migration", 0).down(1, 1, 1)


def any_registration(script: Script) -> Script:
    """Host 0 moves to s1 and back. In its second visit to s0 it receives m2, which was sent in its first visit."""
    script.submit(1, 2).submit(1, 0).up(1, 1).wire("Flooded", 0, place=1).move(0, 1).move(0, 0)
    script.submit(2, 0).up(2).down(0).up(0).wire("HandoffBegin", 1).wire("HandoffBegin", 0).wire("Flooded", 0)
    return script.wire("Migration", 1).wire("Migration", 0).down(0, 0, 0)


def transmitted_is_delivered(script: Script) -> Script:
    """Host 2 leaves s1 before it receives m0. Station s1 counts m0 as delivered to host 2, and m1 carries no tuple."""
    script.submit(0, 1, 2).up(0).wire("Flooded", 1).down(1).up(1).submit(1, 0, 2).up(1).wire("Flooded", 2, source=1)
    return script.move(2, 2).up(2).wire("HandoffBegin", 1).wire("Migration", 2).down(2, 2)
