"""Calls and queues are noted while a run works, and counted before they are sent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ragate.support.spans import Spanned
from ragate.telemetry import names, run_counts
from ragate.telemetry.names import Instrument
from ragate.telemetry.run_counts import RunCounts


class Kept:
    def __init__(self) -> None:
        self.seen: list[tuple[str, float, dict[str, Any]]] = []

    def __call__(self, what: Instrument, value: float, attributes: Mapping[str, Any]) -> None:
        self.seen.append((what.name, value, dict(attributes)))


def test_a_call_is_counted_once_with_the_tokens_that_the_server_named():
    kept = Kept()
    counts = RunCounts(kept, event="push")

    counts.called(Spanned.CHAT, "m", {"input_tokens": 7}, 0.5)
    assert not kept.seen
    counts.settle()
    counts.settle()

    about = {names.OPERATION: "chat", names.MODEL: "m"}
    assert kept.seen == [
        (names.CALL_DURATION.name, 0.5, about),
        (names.TOKENS.name, 7.0, {**about, names.TOKEN_TYPE: "input"}),
    ]


def test_of_a_queue_the_last_length_is_told_once():
    kept = Kept()
    counts = RunCounts(kept, event="push")

    for waiting in (3, 9, 0):
        counts.judging(waiting)
    counts.settle()
    counts.settle()

    assert kept.seen == [(names.JUDGING.name, 0, {names.EVENT: "push"})]


def test_calls_that_nobody_counts_are_bounded(monkeypatch):
    monkeypatch.setattr(run_counts, "_CALLS", 5)
    kept = Kept()
    counts = RunCounts(kept, event="push")

    for each in range(50):
        counts.called(Spanned.EMBEDDINGS, "m", {}, each)
    counts.settle()

    assert [value for _, value, _ in kept.seen] == [45, 46, 47, 48, 49]
