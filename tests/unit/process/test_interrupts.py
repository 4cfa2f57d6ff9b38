"""What holds interrupts back, and what does not lose them."""

from __future__ import annotations

import signal

import pytest

from ragate.process.interrupts import uninterrupted


def test_an_interrupt_waits_for_the_end_of_what_must_not_be_half_done():
    done = []

    def work() -> None:
        with uninterrupted():
            signal.raise_signal(signal.SIGINT)
            done.append("all of it")

    with pytest.raises(KeyboardInterrupt):
        work()

    assert done == ["all of it"]


def test_afterwards_an_interrupt_is_heard_as_before():
    with uninterrupted():
        pass

    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
