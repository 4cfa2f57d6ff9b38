"""A collector that does its worst holds nothing up, and is told."""

from __future__ import annotations

import logging
import os
import re
import socket
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import StringIO
from threading import Event, Thread

import pytest

from ragate.contrib.otel import exporting
from ragate.models import Run
from ragate.spans import Spanned, finished, own_span, span
from tests.factories import output_factory, record_factory, run_factory, sample_factory
from tests.servers.collector import Collector, collector

pytestmark = pytest.mark.integration
UNSENT = "did not reach the collector"
Answer = Callable[[socket.socket, Event], None]


@contextmanager
def answering(answer: Answer) -> Iterator[str]:
    """Let every request be answered so, and yield the address."""
    over = Event()

    def one(connection: socket.socket) -> None:
        with connection:
            try:
                connection.recv(65536)
                answer(connection, over)
            except OSError:
                pass

    def serve() -> None:
        while not over.is_set():
            try:
                connection, _ = server.accept()
            except TimeoutError:
                continue
            Thread(target=one, args=[connection], daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.05)
        serving = Thread(target=serve)
        serving.start()
        try:
            yield f"http://127.0.0.1:{server.getsockname()[1]}"
        finally:
            over.set()
            serving.join()


def sent_to(url: str, monkeypatch: pytest.MonkeyPatch) -> tuple[list[str], float]:
    """Send a span and events one by one; return what was said, and the seconds that it took."""
    monkeypatch.setattr("ragate.contrib.otel.listener._FLUSH_EVERY", 1)
    monkeypatch.setattr(exporting, "END_S", 1.0)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "0.5")
    monkeypatch.setattr(exporting, "TIMEOUT_S", 0.5)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", url)
    said: list[str] = []
    started = time.monotonic()
    with exporting.exporting(os.environ, texts=False, say=said.append), span(Spanned.DECIDE):
        finished(scored(50))
    return said, time.monotonic() - started


def drips(connection: socket.socket, over: Event) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    while not over.wait(0.2):
        connection.sendall(b"x")


def is_silent(_connection: socket.socket, over: Event) -> None:
    over.wait(30)


def hangs_up(_connection: socket.socket, _over: Event) -> None:
    return


def talks_nonsense(connection: socket.socket, _over: Event) -> None:
    connection.sendall(b"\x00\xff nonsense\r\n\r\n")


@pytest.mark.parametrize("answer", [drips, is_silent, hangs_up, talks_nonsense])
def test_a_collector_out_of_order_costs_seconds_and_a_warning(monkeypatch, answer):
    with answering(answer) as url:
        said, seconds = sent_to(url, monkeypatch)

    assert UNSENT in said[0]
    assert seconds < 30  # a flush that takes its 1.5 s is the last one, of fifty


@pytest.mark.parametrize("status", ["200 OK", "307 Go\r\nLocation: /elsewhere"])
def test_of_a_gigabyte_as_answer_next_to_nothing_is_read(monkeypatch, status):
    taken = []

    def floods(connection: socket.socket, _over: Event) -> None:
        head = f"HTTP/1.1 {status}\r\nContent-Length: 1073741824\r\n\r\n"
        connection.sendall(head.encode())
        for megabytes in range(1024):
            taken.append(megabytes)
            connection.sendall(b"x" * 1_000_000)

    with answering(floods) as url:
        tracemalloc.start()
        try:
            said, seconds = sent_to(url, monkeypatch)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()

    assert bool(said) is (status != "200 OK")  # what it says besides is of no interest
    assert max(taken) < 50
    assert peak < 50_000_000
    assert seconds < 60


def test_a_redirect_is_not_followed_and_told(monkeypatch):
    with collector() as elsewhere:

        def redirects(connection: socket.socket, _over: Event) -> None:
            head = f"HTTP/1.1 307 Go\r\nLocation: {elsewhere.url}/v1/traces\r\n"
            connection.sendall(f"{head}Content-Length: 0\r\n\r\n".encode())

        with answering(redirects) as url:
            said, _ = sent_to(url, monkeypatch)

    assert UNSENT in said[0]
    assert not elsewhere.bodies


def test_what_a_plugin_names_badly_keeps_nothing_else_from_being_sent(monkeypatch):
    with collector() as seen:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", seen.url)
        with exporting.exporting(os.environ, texts=False, say=print):
            with own_span("half \ud800", odd="\ud800", strange=object()):  # type: ignore[arg-type]
                pass
            with own_span(["no", "name"]):  # type: ignore[arg-type]
                pass
            with span(Spanned.DECIDE):
                pass

    assert sorted(each.name for each in seen.spans) == ["['no', 'name']", "half ?", "ragate.decide"]


def test_an_exceptions_message_is_not_sent(monkeypatch):
    def fail() -> None:
        with span(Spanned.SAMPLE, sample="q1", run=0):
            raise ValueError("What is the secret question?")

    with collector() as seen:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", seen.url)
        with exporting.exporting(os.environ, texts=False, say=print), pytest.raises(ValueError):
            fail()

    assert b"ValueError" in b"".join(seen.bodies)
    assert b"secret question" not in b"".join(seen.bodies)


def metrics_of(seen: Collector) -> list[dict[str, object]]:
    return [each for each in seen.resources if "service.version" not in each]


def test_metrics_of_two_runs_are_said_to_come_from_one_place(monkeypatch):
    places = []
    monkeypatch.setenv("OTEL_RESOURCE_ATTRIBUTES", "team=search")
    for commit in ("a" * 40, "b" * 40):
        with collector() as seen:
            monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", seen.url)
            runner = {"GITHUB_SHA": commit}
            with exporting.exporting(runner, texts=False, say=print), span(Spanned.CHAT, "a"):
                pass
        assert any(each.get("vcs.ref.head.revision") == commit for each in seen.resources)
        places += metrics_of(seen)

    one, other = places
    assert one == other
    assert one["team"] == "search"


def test_a_log_names_no_address_of_a_collector_that_is_down(monkeypatch):
    log = StringIO()
    monkeypatch.setattr(logging.getLogger(), "handlers", [logging.StreamHandler(log)])
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:9")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "0.5")
    said: list[str] = []
    with exporting.exporting({}, texts=False, say=said.append), span(Spanned.DECIDE):
        pass

    assert said
    assert "127.0.0.1" not in log.getvalue() + said[0]


def scored(samples: int) -> Run:
    return run_factory(
        [
            record_factory(
                sample_factory(f"q{each}"), output_factory(answer="x"), scores={"m": 1.0}
            )
            for each in range(samples)
        ]
    )


def test_what_is_left_for_a_slow_collector_is_given_up_in_time(monkeypatch):
    def is_slow(connection: socket.socket, over: Event) -> None:
        over.wait(0.2)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")

    said: list[str] = []
    monkeypatch.setattr(exporting, "END_S", 0.5)
    monkeypatch.setenv("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "1")
    with answering(is_slow) as url:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", url)
        with exporting.exporting({}, texts=False, say=said.append):
            for _ in range(60):
                with span(Spanned.DECIDE):
                    pass

    (unsent,) = re.findall(r"spans \((\d+)\) did not reach", said[0])
    assert int(unsent) > 20
    assert "it did not take everything in time" in said[0]


@pytest.mark.parametrize("value", ["0", "-1", "99999999"])
def test_a_variable_that_the_sdk_cannot_use_costs_a_warning(monkeypatch, value):
    monkeypatch.setenv("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", value)
    said: list[str] = []
    with collector() as seen:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", seen.url)
        with exporting.exporting({}, texts=False, say=said.append), span(Spanned.DECIDE) as note:
            note(chunks=1)

    (line,) = said
    assert line.startswith("warning: telemetry: nothing is sent, since OpenTelemetry could not")
    assert "max_export_batch_size" in line
    assert not seen.bodies


def test_where_no_thread_is_to_be_had_the_run_goes_on(monkeypatch):
    def none_left(_thread: Thread) -> None:
        raise RuntimeError("can't start new thread")

    said: list[str] = []
    monkeypatch.setattr(Thread, "start", none_left)
    with exporting.exporting({}, texts=False, say=said.append), span(Spanned.DECIDE):
        pass

    assert "RuntimeError: can't start new thread; the verdict stands" in said[0]


def test_who_makes_more_events_than_can_wait_waits_for_the_collector(monkeypatch):
    monkeypatch.setenv("OTEL_BLRP_MAX_QUEUE_SIZE", "20")
    monkeypatch.setenv("OTEL_BLRP_MAX_EXPORT_BATCH_SIZE", "20")
    monkeypatch.setattr("ragate.contrib.otel.listener._FLUSH_EVERY", 10)
    said: list[str] = []

    with collector() as seen:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", seen.url)
        with exporting.exporting({}, texts=False, say=said.append):
            finished(scored(200))

    assert len(seen.events) == 200
    assert not said


def test_what_finds_no_place_in_the_queue_is_told_with_its_number(monkeypatch):
    monkeypatch.setenv("OTEL_BSP_MAX_QUEUE_SIZE", "10")
    monkeypatch.setenv("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "10")
    sending, go_on = Event(), Event()
    said: list[str] = []

    def waits(connection: socket.socket, _over: Event) -> None:
        sending.set()
        go_on.wait(60)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")

    with answering(waits) as url:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", url)
        with exporting.exporting(os.environ, texts=False, say=said.append):
            decide(10)
            assert sending.wait(60)
            decide(25)
            go_on.set()

    (line,) = said
    assert "spans (15) did not reach the collector: more waited for it than" in line
    assert "OTEL_BSP_MAX_QUEUE_SIZE" in line


def decide(times: int) -> None:
    for _ in range(times):
        with span(Spanned.DECIDE):
            pass


def test_what_cannot_be_told_stops_no_run(monkeypatch):
    said: list[str] = []

    with collector() as seen:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", seen.url)
        with exporting.exporting(os.environ, texts=False, say=said.append):
            finished(object())  # type: ignore[arg-type]

    (line,) = said
    assert "the run's scores and counts could not be told (AttributeError)" in line
    assert line.endswith("the verdict stands")
