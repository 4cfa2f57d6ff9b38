"""A signal's requests are given up for good where one failed."""

from __future__ import annotations

import time

from ragate.telemetry.collector.delivery import Delivery


class Client:
    """Fails at the requests that it is told to."""

    def __init__(self, *outcomes: str) -> None:
        self.asked: list[bytes] = []
        self._outcomes = list(outcomes)

    def post(self, body: bytes, *, until: float) -> bool:
        self.asked.append(body)
        outcome = self._outcomes.pop(0)
        if outcome == "raises":
            raise ValueError(body)
        return outcome == "taken"


def test_after_a_request_that_failed_none_is_tried():
    client = Client("taken", "failed")
    delivery = Delivery(client)

    for body in (b"a", b"b", b"c"):
        delivery.send(body)

    assert client.asked == [b"a", b"b"]
    assert delivery.unsent == 2


def test_a_request_that_cannot_be_made_counts_as_unsent():
    delivery = Delivery(Client("raises"))

    delivery.send(b"a")

    assert delivery.unsent == 1


def test_past_its_time_nothing_is_tried():
    client = Client("taken")
    delivery = Delivery(client)
    delivery.until = time.monotonic() - 1

    delivery.send(b"a")

    assert client.asked == []
    assert delivery.unsent == 1
