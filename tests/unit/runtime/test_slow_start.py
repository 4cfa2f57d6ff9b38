"""What takes long is told once."""

from __future__ import annotations

import threading

from ragate.runtime.slow_start import told_if_slow


def test_what_takes_long_is_told_while_it_goes_on() -> None:
    said, told = [], threading.Event()

    def say(line: str) -> None:
        said.append(line)
        told.set()

    with told_if_slow(say, "importing rag", after_s=0.01):
        assert told.wait(10)

    assert said == ["importing rag: 0.01 s so far, still waiting"]


def test_what_is_done_soon_is_not_told() -> None:
    said: list[str] = []

    with told_if_slow(said.append, "importing rag", after_s=60):
        pass

    assert said == []
