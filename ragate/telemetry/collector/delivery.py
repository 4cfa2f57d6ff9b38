"""Gets one signal's requests to the collector, and is held up by none that is out of order."""

import time
from typing import Protocol


class Client(Protocol):
    """Posts a request, as `CollectorClient` does."""

    def post(self, body: bytes, *, until: float) -> bool:
        """Return whether it was taken; may raise anything."""
        ...


class Delivery:
    """Gives up for good once a request failed after its retries.

    A collector that is down must not hold the run up at every batch, nor a slow one its end.

    Attributes:
        unsent: Requests that were not delivered.
        until: By `time.monotonic`: when it gives up at the latest.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self._given_up = False
        self.unsent = 0
        self.until = float("inf")

    def send(self, body: bytes) -> None:
        """Send one request."""
        if not self._is_taken(body):
            self._given_up = True
            self.unsent += 1

    def _is_taken(self, body: bytes) -> bool:
        if self._given_up or time.monotonic() >= self.until:
            return False
        try:
            return self._client.post(body, until=self.until)
        except Exception:  # noqa: BLE001 - a wrong address or certificate is no verdict
            return False
