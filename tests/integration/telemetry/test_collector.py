"""A collector that does its worst holds nothing up, and is told."""

from __future__ import annotations

import logging
import os
import socket
import time
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread

import httpx
import pytest

from ragate.models import Run
from ragate.support.spans import Spanned, finished, own_span, span
from ragate.telemetry import exporting
from ragate.telemetry.collector import send_queue
from tests.factories import output_factory, record_factory, run_factory, sample_factory
from tests.servers.collector import Collector, collector

pytestmark = pytest.mark.integration
UNSENT = "did not reach the collector; the verdict stands"
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
    monkeypatch.setattr("ragate.telemetry.listener._FLUSH_EVERY", 1)
    monkeypatch.setattr(exporting, "END_S", 1.0)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "0.5")
    monkeypatch.setattr(exporting, "TIMEOUT_S", 0.5)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", url)
    said: list[str] = []
    started = time.monotonic()
    with exporting.exporting(os.environ, texts=False, say=said.append), span(Spanned.DECIDE):
        finished(scored(5))
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
    assert seconds < 6  # a flush that takes its 1.5 s is the last one


def test_of_a_gigabyte_as_answer_next_to_nothing_is_read(monkeypatch):
    taken = []

    def floods(connection: socket.socket, _over: Event) -> None:
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1073741824\r\n\r\n")
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

    assert not said  # it took the batch: what it says besides is of no interest
    assert max(taken) < 50
    assert peak < 50_000_000
    assert seconds < 10


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
    return [each for each in seen.resources if "vcs.ref.head.revision" not in each]


def test_metrics_of_two_runs_are_said_to_come_from_one_place(monkeypatch):
    places = []
    for _ in range(2):
        with collector() as seen:
            monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", seen.url)
            monkeypatch.setenv("OTEL_RESOURCE_ATTRIBUTES", "team=search")
            with exporting.exporting({}, texts=False, say=print), span(Spanned.CHAT, "a"):
                pass
        places.append(metrics_of(seen))

    assert places[0] == places[1]
    assert {each["team"] for each in places[0]} == {"search"}


def test_a_log_of_everything_names_no_address_of_the_collector(monkeypatch, caplog):
    caplog.set_level(logging.DEBUG, "httpx")
    with collector() as seen:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", seen.url)
        with exporting.exporting({}, texts=False, say=print), span(Spanned.DECIDE):
            pass

    assert seen.spans
    assert seen.url not in caplog.text
    with collector() as other:  # whoever else uses the client is heard
        httpx.post(f"{other.url}/v1/traces", content=b"")
    assert other.url in caplog.text


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

    unsent = int(said[0].removeprefix("warning: telemetry: ").split()[0])
    assert unsent > 20


@pytest.mark.parametrize(
    ("texts", "variables", "requests"),
    [
        (False, {}, 1),
        (True, {}, 2),  # reasons may be long
        (False, {"OTEL_BLRP_MAX_EXPORT_BATCH_SIZE": "200"}, 3),
        (False, {"OTEL_BLRP_MAX_EXPORT_BATCH_SIZE": "0"}, 1),
    ],
)
def test_events_are_sent_many_at_once(monkeypatch, texts, variables, requests):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with collector() as seen:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", seen.url)
        with exporting.exporting({}, texts=texts, say=print):
            finished(scored(600))

    assert len(seen.events) == 600
    assert sum(b"gen_ai.evaluation.result" in body for body in seen.bodies) == requests


def test_who_makes_more_events_than_can_wait_waits_for_the_collector(monkeypatch):
    monkeypatch.setattr(send_queue, "QUEUE", 20)
    monkeypatch.setattr("ragate.telemetry.listener._FLUSH_EVERY", 10)
    said: list[str] = []

    with collector() as seen:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", seen.url)
        with exporting.exporting({}, texts=False, say=said.append):
            finished(scored(200))

    assert len(seen.events) == 200
    assert not said


def test_what_finds_no_place_in_the_queue_is_told_with_its_number(monkeypatch):
    monkeypatch.setattr(send_queue, "QUEUE", 10)
    monkeypatch.setattr(exporting, "_EVERY_MS", 3_600_000)
    said: list[str] = []

    with collector() as seen:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", seen.url)
        with exporting.exporting(os.environ, texts=False, say=said.append):
            for _ in range(25):
                with span(Spanned.DECIDE):
                    pass

    assert len(seen.spans) == 10
    (line,) = said
    assert line.startswith("warning: telemetry: 15 spans and events were dropped")
    assert line.endswith("the verdict stands")


def test_what_cannot_be_told_stops_no_run(monkeypatch):
    said: list[str] = []

    with collector() as seen:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", seen.url)
        with exporting.exporting(os.environ, texts=False, say=said.append):
            finished(object())  # type: ignore[arg-type]

    (line,) = said
    assert "the run's scores and counts could not be told (AttributeError)" in line
    assert line.endswith("the verdict stands")


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("ENDPOINT", "no address"),
        ("HEADERS", "x-key=a%0Ab"),
        ("HEADERS", "x-key=%E2%82%AC"),
        ("CERTIFICATE", "/nowhere/ca.pem"),
    ],
)
def test_a_variable_that_no_request_can_be_made_of_costs_a_warning(monkeypatch, variable, value):
    said: list[str] = []
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "https://127.0.0.1:9")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "0.5")
    monkeypatch.setenv(f"OTEL_EXPORTER_OTLP_{variable}", value)

    with exporting.exporting({}, texts=False, say=said.append), span(Spanned.DECIDE):
        pass

    assert UNSENT in said[0]
