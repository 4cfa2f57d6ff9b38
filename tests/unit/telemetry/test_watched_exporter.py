"""An exporter gives up for good where a batch failed."""

from __future__ import annotations

import time

from ragate.telemetry.watched_exporter import WatchedExporter


class Exporter:
    """Fails at the batches that it is told to."""

    def __init__(self, *outcomes: str) -> None:
        self.asked: list[str] = []
        self._outcomes = list(outcomes)

    def export(self, batch: str) -> str:
        self.asked.append(batch)
        outcome = self._outcomes.pop(0)
        if outcome == "raises":
            raise ValueError(batch)
        return outcome


def test_after_a_batch_that_failed_none_is_tried():
    inner = Exporter("sent", "failed")
    exporter = WatchedExporter(inner, "failed")

    assert [exporter.export(batch) for batch in "abc"] == ["sent", "failed", "failed"]
    assert inner.asked == ["a", "b"]
    assert exporter.unsent == 2


def test_a_batch_that_cannot_be_encoded_counts_as_unsent():
    exporter = WatchedExporter(Exporter("raises"), "failed")

    assert exporter.export("a") == "failed"
    assert exporter.unsent == 1


def test_past_its_time_nothing_is_tried():
    inner = Exporter("sent")
    exporter = WatchedExporter(inner, "failed")
    exporter.until = time.monotonic() - 1

    assert exporter.export("a") == "failed"
    assert inner.asked == []
