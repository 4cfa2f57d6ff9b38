"""What waits is sent in requests of a size, and what finds no place is counted."""

from __future__ import annotations

from ragate.telemetry.collector import send_queue
from ragate.telemetry.collector.delivery import Delivery
from ragate.telemetry.collector.send_queue import SendQueue


class Client:
    def __init__(self) -> None:
        self.taken: list[bytes] = []

    def post(self, body: bytes, *, until: float) -> bool:
        self.taken.append(body)
        return True


def queue(client: Client, woken: list[int]) -> SendQueue[bytes]:
    return SendQueue(Delivery(client), b"".join, at_once=3, wake=lambda: woken.append(1))


def filled(client: Client, woken: list[int], items: int) -> SendQueue[bytes]:
    waiting = queue(client, woken)
    for each in range(items):
        waiting.put(b"%d" % each)
    return waiting


def test_whole_requests_are_sent_and_the_rest_when_everything_is():
    client = Client()
    waiting = filled(client, [], 7)

    waiting.send(everything=False)
    assert client.taken == [b"012", b"345"]

    waiting.send(everything=True)
    assert client.taken == [b"012", b"345", b"6"]


def test_who_sends_is_woken_once_a_request():
    woken: list[int] = []

    filled(Client(), woken, 7)

    assert len(woken) == 2


def test_nothing_is_sent_for_nothing():
    client = Client()

    queue(client, []).send(everything=True)

    assert client.taken == []


def test_what_finds_no_place_is_dropped_and_counted(monkeypatch):
    monkeypatch.setattr(send_queue, "QUEUE", 5)
    client = Client()
    waiting = filled(client, [], 8)

    waiting.send(everything=True)

    assert waiting.dropped == 3
    assert b"".join(client.taken) == b"01234"
