"""Ctrl-C while Python talks to Java."""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest

from analysis.spark.deferred_interrupt import DeferInterrupt


@pytest.fixture(autouse=True)
def as_at_a_terminal() -> Iterator[None]:
    """Ctrl-C interrupts, whatever the surroundings of these tests have made of it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def press() -> None:
    signal.raise_signal(signal.SIGINT)


def deferred(*steps: Callable[[], object]) -> int:
    """How many of the steps of a block were done before it was interrupted."""
    done = 0
    with suppress(KeyboardInterrupt), DeferInterrupt():
        for step in steps:
            step()
            done += 1
    return done


def test_a_first_one_interrupts_at_the_end_of_the_block() -> None:
    with pytest.raises(KeyboardInterrupt), DeferInterrupt():
        press()


def test_a_first_one_lets_the_block_go_on() -> None:
    assert deferred(press, bool, bool) == 3


def test_a_second_one_does_not_wait() -> None:
    assert deferred(press, press, bool) == 1


def test_without_one_the_block_just_ends_and_ctrl_c_is_what_it_was() -> None:
    with DeferInterrupt():
        pass
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_it_is_caught_again_after_somebody_else_took_it() -> None:
    taken: list[int] = []
    with DeferInterrupt() as interrupts:
        signal.signal(signal.SIGINT, lambda number, _: taken.append(number))
        interrupts.take()
        assert signal.getsignal(signal.SIGINT) == interrupts._caught
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert taken == []


def test_a_process_that_ignores_ctrl_c_goes_on_ignoring_it() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with DeferInterrupt():
        press()
    assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN


def test_a_thread_other_than_the_main_one_leaves_signals_alone() -> None:
    found: list[object] = []

    def work() -> None:
        with DeferInterrupt():
            found.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert found == [signal.default_int_handler]
