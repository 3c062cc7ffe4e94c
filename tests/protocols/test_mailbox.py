"""The mailbox of a process with control messages: what it sends, holds and delivers."""

from collections.abc import Sequence

from mobilesim.protocols.mailbox import ActiveMailbox, Mailbox, mailbox_for
from mobilesim.protocols.orderings.mr import Mr, Resynch
from mobilesim.protocols.orderings.rst import Rst
from mobilesim.protocols.orderings.synchronised.transport import Acknowledgement, Transport
from mobilesim.protocols.packets import CONTROL_MESSAGE, Copy, Message, Stamp

MILLISECOND = 1_000_000


def message(number: int, source: int, *destinations: int, group: int = -1) -> Message:
    return Message(number, source, destinations, 100, group)


def control_copy(stamp: Stamp, *targets: int) -> Copy:
    return Copy(CONTROL_MESSAGE, targets, stamp)


def numbers(copies: Sequence[Copy]) -> list[int]:
    return [copy.message.id for copy in copies]


def test_only_a_process_with_control_messages_has_an_active_mailbox() -> None:
    passive, active = mailbox_for(Rst(2).process(0)), mailbox_for(Transport(2).process(0))
    assert (type(passive), passive.sends_control) == (Mailbox, False)
    assert (type(active), active.sends_control) == (ActiveMailbox, True)


def test_messages_leave_the_send_queue_in_their_order() -> None:
    sender = mailbox_for(Transport(3).process(0))
    assert numbers(sender.send(message(0, 0, 1))) == [0]
    assert sender.send(message(1, 0, 2)) == sender.send(message(2, 0, 1)) == []
    assert ([held.id for held in sender.held], sender.size) == ([1, 2], 2)
    assert list(sender.arrive(control_copy(Acknowledgement(1), 0))) == []
    assert numbers(sender.pending_control()) == [1]
    assert ([held.id for held in sender.held], sender.size) == ([2], 1)


def test_a_message_is_delivered_and_answered_but_a_control_message_is_not() -> None:
    sender, receiver = (mailbox_for(Transport(2).process(index)) for index in (0, 1))
    (copy,) = sender.send(message(0, 0, 1))
    assert list(receiver.arrive(copy)) == [copy]
    (answer,) = receiver.pending_control()
    assert (answer.is_control, answer.targets, receiver.pending_control()) == (True, (0,), [])
    assert list(sender.arrive(answer)) == []


GROUPS = ((0, 1, 2),)


def mailbox_with_delay(index: int) -> Mailbox:
    return mailbox_for(Mr(3, GROUPS, resynch_delay=20).process(index))


def test_a_delayed_control_message_is_sent_when_the_timer_expires() -> None:
    sender, receiver = mailbox_with_delay(0), mailbox_with_delay(1)
    (copy,) = sender.send(message(0, 0, 1, 2, group=0))
    list(receiver.arrive(copy))
    assert receiver.pending_control() == []
    assert [receiver.timer(), receiver.timer()] == [20 * MILLISECOND, 0]
    (output,) = receiver.pending_control(late=True)
    assert isinstance(output.stamp, Resynch)
    assert receiver.timer() == 0


def test_a_message_replaces_a_delayed_control_message() -> None:
    sender, receiver = mailbox_with_delay(0), mailbox_with_delay(1)
    (copy,) = sender.send(message(0, 0, 1, 2, group=0))
    list(receiver.arrive(copy))
    assert receiver.timer() > 0
    assert numbers(receiver.send(message(1, 1, 0, 2, group=0))) == [1]
    assert receiver.pending_control(late=True) == []


def test_each_delayed_control_message_needs_its_own_timer() -> None:
    sender, receiver = mailbox_with_delay(0), mailbox_with_delay(1)
    for number in (0, 1):
        (copy,) = sender.send(message(number, 0, 1, 2, group=0))
        list(receiver.arrive(copy))
        assert receiver.timer() == 20 * MILLISECOND
        assert len(receiver.pending_control(late=True)) == 1
