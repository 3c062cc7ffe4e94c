"""Ctrl-C during a call from Python to Java."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest

from mobilesim.analysis.spark.deferred_interrupt import DeferInterrupt


@pytest.fixture(autouse=True)
def as_at_a_terminal() -> Iterator[None]:
    """Set Python's default handler of Ctrl-C, which the test process may have replaced."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def press() -> None:
    signal.raise_signal(signal.SIGINT)


def deferred(*steps: Callable[[], object]) -> int:
    """Return the number of steps of a block before its interruption."""
    done = 0
    with suppress(KeyboardInterrupt), DeferInterrupt():
        for step in steps:
            step()
            done += 1
    return done


def test_the_first_interrupt_is_raised_at_the_end_of_the_block() -> None:
    with pytest.raises(KeyboardInterrupt), DeferInterrupt():
        press()


def test_the_block_continues_after_the_first_interrupt() -> None:
    assert deferred(press, bool, bool) == 3


def test_the_second_interrupt_is_raised_at_once() -> None:
    assert deferred(press, press, bool) == 1


def test_without_an_interrupt_the_previous_handler_is_restored() -> None:
    with DeferInterrupt():
        pass
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_replaced_handler_is_installed_again() -> None:
    taken: list[int] = []
    with DeferInterrupt() as interrupts:
        signal.signal(signal.SIGINT, lambda number, _: taken.append(number))
        interrupts.take()
        assert signal.getsignal(signal.SIGINT) == interrupts._caught
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert taken == []


def test_an_ignored_interrupt_stays_ignored() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with DeferInterrupt():
        press()
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def test_other_threads_do_not_change_the_handler() -> None:
    found: list[object] = []

    def work() -> None:
        with DeferInterrupt():
            found.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [signal.default_int_handler]
