"""One thread lets all send: now and then, when it is woken, when it is asked, and at the end."""

from __future__ import annotations

from threading import Event, Thread

from ragate.telemetry.collector.courier import Courier

SOON_S = 10.0  # never reached where it works
LATER_S = 3600.0


class Part:
    """Keeps how it was asked to send, and may take its time."""

    def __init__(self) -> None:
        self.asked: list[bool] = []
        self.began = Event()
        self.may_go_on = Event()
        self.may_go_on.set()

    def send(self, *, everything: bool) -> None:
        self.asked.append(everything)
        self.began.set()
        assert self.may_go_on.wait(SOON_S)


def test_from_time_to_time_everything_is_sent():
    part, courier = Part(), Courier(0.001)
    courier.start([part])

    assert part.began.wait(SOON_S)
    assert courier.stop(SOON_S)
    assert part.asked[0]


def test_who_is_woken_sends_whole_requests_only():
    part, courier = Part(), Courier(LATER_S)
    courier.start([part])

    courier.wake()

    assert part.began.wait(SOON_S)
    assert courier.stop(SOON_S)
    assert part.asked == [False, True]


def test_a_flush_ends_when_everything_is_sent():
    first, second, courier = Part(), Part(), Courier(LATER_S)
    courier.start([first, second])

    assert courier.flush(SOON_S)
    assert first.asked == second.asked == [True]
    assert courier.stop(SOON_S)


def test_a_flush_is_not_waited_for_without_end():
    part, courier = Part(), Courier(LATER_S)
    part.may_go_on.clear()
    courier.start([part])

    assert not courier.flush(0.01)

    part.may_go_on.set()
    assert courier.stop(SOON_S)


def test_the_end_sends_everything_once():
    part, courier = Part(), Courier(LATER_S)
    courier.start([part])

    assert courier.stop(SOON_S)
    assert part.asked == [True]


def test_what_was_woken_beside_the_end_is_sent_as_well():
    part, courier = Part(), Courier(LATER_S)
    part.may_go_on.clear()
    courier.start([part])
    courier.wake()
    assert part.began.wait(SOON_S)

    assert not courier.stop(0.01)  # it is still sending

    part.may_go_on.set()
    assert courier.stop(SOON_S)
    assert part.asked == [False, True]


def test_where_no_thread_can_be_had_nothing_is_waited_for(monkeypatch):
    def start(_thread: Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(Thread, "start", start)
    courier = Courier(LATER_S)
    courier.start([Part()])

    assert not courier.flush(SOON_S)
    assert not courier.stop(SOON_S)


def test_a_part_that_breaks_is_told_as_not_in_time(monkeypatch):
    class Broken(Part):
        def send(self, *, everything: bool) -> None:
            raise ValueError

    monkeypatch.setattr("threading.excepthook", lambda _: None)
    courier = Courier(LATER_S)
    courier.start([Broken()])

    assert not courier.stop(SOON_S)
