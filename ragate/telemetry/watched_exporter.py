"""An exporter that a collector out of order cannot hold up."""

import time
from contextlib import suppress
from typing import Any


class WatchedExporter:
    """An exporter that gives up for good once a request failed after the SDK's own retries.

    A collector that is down must not hold the run up at every batch, nor a slow one its end.

    Attributes:
        unsent: Batches that were not delivered.
        until: By `time.monotonic`: when it gives up at the latest.

    Args:
        failure: What the SDK's exporter returns where it failed.
    """

    def __init__(self, exporter: Any, failure: Any) -> None:
        self._exporter = exporter
        self._failure = failure
        self._given_up = False
        self.unsent = 0
        self.until = float("inf")

    def __getattr__(self, name: str) -> Any:
        return getattr(self._exporter, name)

    def export(self, batch: Any, **options: Any) -> Any:
        """Send one batch; returns what the SDK's exporter returns."""
        result = self._failure
        if not self._given_up and time.monotonic() < self.until:
            with suppress(Exception):  # what a plugin's span holds may be no text to send
                result = self._exporter.export(batch, **options)
        if result is self._failure:
            self._given_up = True
            self.unsent += 1
        return result
