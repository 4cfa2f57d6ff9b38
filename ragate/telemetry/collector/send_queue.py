"""Spans, or events, that wait to be sent."""

from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from ragate.telemetry.collector.delivery import Delivery

Item = TypeVar("Item")
QUEUE = 65_536  # items that wait; some 16 MB


class SendQueue(Generic[Item]):
    """Holds spans or events until they are sent, many at once.

    One thread puts, another one sends.

    Attributes:
        dropped: How many found no place.

    Args:
        request: Makes a request of items.
        at_once: How many are sent in one request.
        wake: Is called when so many wait.
    """

    def __init__(
        self,
        delivery: Delivery,
        request: Callable[[Sequence[Item]], bytes],
        *,
        at_once: int,
        wake: Callable[[], object],
    ) -> None:
        self._delivery = delivery
        self._request = request
        self._at_once = at_once
        self._wake = wake
        self._waiting: list[Item] = []
        self.dropped = 0

    def put(self, item: Item) -> None:
        """Let an item wait; where too many do, drop it."""
        waiting = len(self._waiting)
        if waiting >= QUEUE:
            self.dropped += 1
            return
        self._waiting.append(item)
        if (waiting + 1) % self._at_once == 0:
            self._wake()

    def send(self, *, everything: bool) -> None:
        """Send what waits, or as many whole requests as it makes."""
        while len(self._waiting) >= (1 if everything else self._at_once):
            items = self._waiting[: self._at_once]
            del self._waiting[: len(items)]
            self._delivery.send(self._request(items))
