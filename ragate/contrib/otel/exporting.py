"""OpenTelemetry's SDK, set up for one run and shut down with it."""

from __future__ import annotations

import logging
import os
import ssl
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http import HTTPStatus
from random import SystemRandom
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

import requests
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk._logs import LoggerProvider
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.metrics import AlwaysOffExemplarFilter, Counter, Histogram, MeterProvider
from opentelemetry.sdk.metrics.export import AggregationTemporality, PeriodicExportingMetricReader
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from requests.exceptions import (
    InvalidHeader,
    InvalidSchema,
    InvalidURL,
    MissingSchema,
    SSLError,
    Timeout,
)

from ragate.contrib.otel.delivery import (
    CERTIFICATE,
    ENDPOINT,
    GRPC,
    HEADERS,
    SIGNALS,
    SLOW,
    TIMEOUT,
    Delivery,
    protocol_of,
)
from ragate.contrib.otel.listener import TelemetryListener
from ragate.contrib.otel.names import SCOPE, SERVICE
from ragate.contrib.otel.own_instruments import MOST_ATTRIBUTES, MOST_INSTRUMENTS
from ragate.contrib.otel.run_counts import RunCounts
from ragate.spans import listening
from ragate.version import __version__

# Attribute -> the runner's variable.
_RUNNER = {
    "cicd.pipeline.name": "GITHUB_WORKFLOW",
    "cicd.pipeline.run.id": "GITHUB_RUN_ID",
    "cicd.pipeline.task.name": "GITHUB_JOB",
    "vcs.ref.head.revision": "GITHUB_SHA",
    "vcs.ref.head.name": "GITHUB_HEAD_REF",
    "vcs.ref.base.name": "GITHUB_BASE_REF",
}
_STAYS = {
    *("service.name", "cicd.pipeline.name", "cicd.pipeline.task.name"),
    *("vcs.repository.url.full", "vcs.repository.name", "vcs.owner.name", "vcs.provider.name"),
}
TIMEOUT_S = 5.0  # of one request with its retries, unless OTEL_EXPORTER_OTLP_TIMEOUT is set
END_S = 10.0  # of what is still to be sent when the run is over
QUEUE = 32_768  # spans, or events, that wait, of 3 kB each; unless the SDK's variable is set
_FULL = "more waited for it than their queue holds", "OTEL_BSP_MAX_QUEUE_SIZE"
_TEMPORALITY = "OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE"


@dataclass(frozen=True)
class _Signal:
    """One of the SDK's providers, and what becomes of what its exporter sends.

    Attributes:
        made: Returns how many items were to be sent, 0 where nobody counts them.
    """

    noun: str
    delivery: Delivery
    shutdown: Callable[[], object]
    made: Callable[[], int]


class _Telemetry:
    """The SDK's providers of spans, events and metrics, and the listener that feeds them."""

    def __init__(self, environment: Mapping[str, str], *, texts: bool) -> None:
        spans, events, counts = (_delivery(environment, each) for each in SIGNALS)
        tracers, loggers = _tracers(spans, environment), _loggers(events, environment)
        meters = _meters(counts, environment)
        event = environment.get("GITHUB_EVENT_NAME", "local")
        self.listener = listener = TelemetryListener(
            tracers.get_tracer(SCOPE, __version__),
            loggers.get_logger(SCOPE, __version__),
            RunCounts(meters.get_meter(SCOPE, __version__), event=event),
            texts=texts,
            flush=self._flush,
        )
        self._signals = (
            _Signal("spans", spans, tracers.shutdown, lambda: listener.spans),
            _Signal("events", events, loggers.shutdown, lambda: listener.events),
            _Signal("counts", counts, meters.shutdown, lambda: 0),
        )
        self._force_flushes = [loggers.force_flush, tracers.force_flush]
        self._is_stuck = False

    def _flush(self) -> None:
        """Send the events and spans that wait; where that takes too long, never again."""
        self._is_stuck = self._is_stuck or not all(_ended(self._force_flushes))

    def close(self) -> Iterator[str]:
        """Send what is left, within `END_S`; yield what did not get there, a line a reason."""
        for signal in self._signals:
            signal.delivery.until = time.monotonic() + END_S
        ended = _ended([signal.shutdown for signal in self._signals])
        lost = defaultdict(list)
        for signal, in_time in zip(self._signals, ended, strict=True):
            unsent = signal.made() - signal.delivery.taken
            if signal.delivery.lost or unsent > 0 or not in_time:
                why = signal.delivery.lost or (_FULL if in_time else SLOW)
                lost[why].append(f"{signal.noun} ({unsent})" if unsent > 0 else signal.noun)
        for (reason, where), nouns in lost.items():
            yield (
                f"{', '.join(nouns)} did not reach the collector: {reason}; the verdict stands\n"
                f"  -> see {where}"
            )
        if failure := self.listener.failure:
            yield (
                f"the run's scores and counts could not be told ({type(failure).__name__}); the "
                "verdict stands"
            )
        if refused := sorted(self.listener.refused):
            yield (
                f"values of your own instruments were left out: {', '.join(refused)}\n"
                "  -> they are finite numbers, a counter's not below 0, of one kind and unit a "
                f"name; at most {MOST_INSTRUMENTS} names, and {MOST_ATTRIBUTES} attributes a value"
            )


@contextmanager
def exporting(
    environment: Mapping[str, str], *, texts: bool, say: Callable[[str], None]
) -> Iterator[None]:
    """Send what runs inside, until the end, and then what is left within `END_S`.

    Where to and how is what the SDK reads from the process's ``OTEL_*``.

    Args:
        environment: The runner's variables.
        texts: Answers and reasons are sent as well, where the policy publishes them.
    """
    _quiet()
    try:
        telemetry = _Telemetry(environment, texts=texts)
    except Exception as error:  # noqa: BLE001 - a wrong variable of OpenTelemetry is no verdict
        say(
            "warning: telemetry: nothing is sent, since OpenTelemetry could not be set up: "
            f"{type(error).__name__}: {error}; the verdict stands\n  -> see the OTEL_* variables"
        )
        yield
        return
    try:
        with listening(telemetry.listener):
            yield
    finally:
        for line in telemetry.close():
            say(f"warning: telemetry: {line}")


class RandomIds(RandomIdGenerator):
    """The SDK's random ids, which a plugin that seeds `random` does not repeat."""

    def __init__(self) -> None:
        self._random = SystemRandom()

    def generate_span_id(self) -> int:
        """Return 64 bits that are not all 0."""
        return self._random.getrandbits(64) or 1

    def generate_trace_id(self) -> int:
        """Return 128 bits that are not all 0."""
        return self._random.getrandbits(128) or 1


_BY_HTTP = {"traces": OTLPSpanExporter, "logs": OTLPLogExporter, "metrics": OTLPMetricExporter}


def _delivery(environment: Mapping[str, str], signal: str) -> Delivery:
    if protocol_of(environment, signal) != GRPC:
        return CollectorSession()
    from ragate.contrib.otel.by_grpc import GrpcDelivery

    return GrpcDelivery()


def _exporter(signal: str, delivery: Delivery, **options: Any) -> Any:
    """Return the SDK's exporter of a signal, by the protocol that `delivery` is of."""
    if isinstance(delivery, CollectorSession):
        return _BY_HTTP[signal](session=delivery, timeout=_timeout(), **options)
    from ragate.contrib.otel.by_grpc import EXPORTERS

    return EXPORTERS[signal](delivery=delivery, timeout=_timeout(), **options)


def _tracers(delivery: Delivery, environment: Mapping[str, str]) -> TracerProvider:
    exporter = _watched(_exporter("traces", delivery), delivery)
    queue = _queue("OTEL_BSP_MAX_QUEUE_SIZE")
    provider = TracerProvider(
        resource=run_resource(environment), shutdown_on_exit=False, id_generator=RandomIds()
    )
    provider.add_span_processor(BatchSpanProcessor(exporter, max_queue_size=queue))
    return provider


def _loggers(delivery: Delivery, environment: Mapping[str, str]) -> LoggerProvider:
    exporter = _watched(_exporter("logs", delivery), delivery)
    queue = _queue("OTEL_BLRP_MAX_QUEUE_SIZE")
    provider = LoggerProvider(resource=run_resource(environment), shutdown_on_exit=False)
    provider.add_log_record_processor(BatchLogRecordProcessor(exporter, max_queue_size=queue))
    return provider


def _meters(delivery: Delivery, environment: Mapping[str, str]) -> MeterProvider:
    exporter = _exporter("metrics", delivery, preferred_temporality=_temporality())
    return MeterProvider(
        [PeriodicExportingMetricReader(_watched(exporter, delivery, size=lambda _: 1))],
        resource=metrics_resource(environment),
        shutdown_on_exit=False,
        exemplar_filter=AlwaysOffExemplarFilter(),
    )


def _watched(exporter: Any, delivery: Delivery, *, size: Callable[[Any], int] = len) -> Any:
    """Return the exporter; `delivery` hears how many items it delivered, and what it gave up."""
    export = exporter.export

    def watched(batch: Any, **options: Any) -> Any:
        result = export(batch, **options)
        if result.name == "SUCCESS":
            delivery.taken += size(batch)
        else:
            delivery.give_up()
        return result

    exporter.export = watched
    return exporter


def _ended(works: Sequence[Callable[[], object]]) -> list[bool]:
    """Do it all at once, for `END_S` at most; return what of it ended.

    Who answers byte by byte is not waited for: the threads end with the process.
    """
    threads = [Thread(target=_quietly, args=[work], daemon=True) for work in works]
    until = time.monotonic() + END_S
    for thread in threads:
        with suppress(RuntimeError):  # no thread to be had
            thread.start()
    for thread in threads:
        if thread.ident is not None:
            thread.join(max(0.0, until - time.monotonic()))
    return [thread.ident is not None and not thread.is_alive() for thread in threads]


def _quietly(work: Callable[[], object]) -> None:
    with suppress(Exception):
        work()


def _timeout() -> float | None:
    names = ("", "_TRACES", "_LOGS", "_METRICS")
    is_set = any(os.environ.get(f"OTEL_EXPORTER_OTLP{name}_TIMEOUT") for name in names)
    return None if is_set else TIMEOUT_S


def _queue(variable: str) -> int | None:
    return None if os.environ.get(variable) else QUEUE


def _temporality() -> dict[type, AggregationTemporality] | None:
    """Return what counts mean: what this run counted, since no later run goes on from there."""
    if os.environ.get(_TEMPORALITY):
        return None
    return {Counter: AggregationTemporality.DELTA, Histogram: AggregationTemporality.DELTA}


def _quiet() -> None:
    """Keep the SDK's log lines, which name addresses, out of a build's log, to the last of them."""
    logger = logging.getLogger("opentelemetry")
    logger.propagate = False
    if not logger.handlers:  # else Python itself prints what nobody handles
        logger.addHandler(logging.NullHandler())


# Which run sends: the workflow, the repository and the commit, from the runner's variables.
#
# Metrics carry none of what is another one in each run, so that counts of many runs add up.


def run_resource(environment: Mapping[str, str]) -> Resource:
    """Return what every span and event of this run carries.

    The process's ``OTEL_RESOURCE_ATTRIBUTES`` and ``OTEL_SERVICE_NAME`` add to it and win.
    """
    return _resource(_of_run(environment))


def metrics_resource(environment: Mapping[str, str]) -> Resource:
    """Return what every metric carries: what stays from run to run, and what the user adds."""
    found = _of_run(environment)
    return _resource({name: value for name, value in found.items() if name in _STAYS})


def _resource(attributes: Mapping[str, str]) -> Resource:
    """Return a resource without the SDK's own id of an instance, another one in each run."""
    made = Resource.create().attributes
    sdk = {name: value for name, value in made.items() if name.startswith("telemetry.sdk.")}
    return Resource({**sdk, **attributes, **OTELResourceDetector().detect().attributes})


def _of_run(environment: Mapping[str, str]) -> dict[str, str]:
    named = {name: environment.get(variable, "") for name, variable in _RUNNER.items()}
    named["vcs.ref.head.name"] = named["vcs.ref.head.name"] or environment.get(
        "GITHUB_REF_NAME", ""
    )
    server, repository = (
        environment.get(f"GITHUB_{name}", "") for name in ("SERVER_URL", "REPOSITORY")
    )
    if server and repository:
        named["vcs.repository.url.full"] = f"{server}/{repository}"
        named["vcs.repository.name"] = repository.rpartition("/")[2]
        named["vcs.owner.name"] = repository.partition("/")[0]
        if urlsplit(server).hostname == "github.com":
            named["vcs.provider.name"] = "github"
        if run := named["cicd.pipeline.run.id"]:
            named["cicd.pipeline.run.url.full"] = f"{server}/{repository}/actions/runs/{run}"
    if number := _pull(environment.get("GITHUB_REF", "")):
        named["vcs.change.id"] = number
    named |= {"service.name": SERVICE, "service.version": __version__}
    return {name: value for name, value in named.items() if value}


def _pull(ref: str) -> str:
    """Return the number of ``refs/pull/12/merge``."""
    parts = ref.split("/")
    return parts[2] if parts[:2] == ["refs", "pull"] and len(parts) == 4 else ""


# The HTTP session in which OpenTelemetry's exporters send, and why they could not.


_BY_STATUS: dict[int, str] = {
    HTTPStatus.UNAUTHORIZED: HEADERS,
    HTTPStatus.FORBIDDEN: HEADERS,
    HTTPStatus.PROXY_AUTHENTICATION_REQUIRED: "HTTPS_PROXY",
}


class CollectorSession(requests.Session, Delivery):
    """Sends one signal's batches, until one of them is given up.

    Of an answer only the head is read, and no redirect is followed: the keys in the headers are
    for the address that was named.
    """

    def __init__(self) -> None:
        requests.Session.__init__(self)
        Delivery.__init__(self)

    def request(self, *arguments: Any, **options: Any) -> requests.Response:
        """Send a request as `requests.Session` does; `timeout` ends at `until` at the latest.

        Raises:
            Exception: what `requests` raises. RequestException: nothing is sent any more.
        """
        left = self.left()
        if left <= 0:
            raise requests.RequestException("nothing is sent any more")
        options |= {"timeout": min(options.get("timeout") or left, left), "stream": True}
        if isinstance(self.verify, str):
            # Else REQUESTS_CA_BUNDLE wins over it: https://github.com/psf/requests/issues/3829
            options["verify"] = self.verify
        try:
            response = super().request(*arguments, **options)
        except Exception as error:
            self.reason = _why(error)
            raise
        response.close()
        self.reason = _answered(response.status_code)
        if response.is_redirect or 300 <= response.status_code < 400:
            raise requests.RequestException("redirected")  # the SDK would take it for success
        return response

    def get_redirect_target(self, resp: requests.Response) -> str | None:  # noqa: ARG002
        """Return None: `requests` would read the whole answer to follow a redirect."""
        return None


def _answered(status: int) -> tuple[str, str] | None:
    if 200 <= status < 300:
        return None
    try:
        words = f"it answered {status} {HTTPStatus(status).phrase}"
    except ValueError:
        words = f"it answered {status}"
    redirect = ", and redirects are not followed" if 300 <= status < 400 else ""
    return words + redirect, _BY_STATUS.get(status, ENDPOINT)


def _why(error: Exception) -> tuple[str, str]:
    """Return what went wrong, without an address or a header's value, and where to look."""
    innermost = list(_causes(error))[-1]
    if isinstance(innermost, ssl.SSLCertVerificationError):
        reason = innermost.verify_message.partition(",")[0]  # after a comma it names the host
        return f"its certificate is not trusted ({reason})", CERTIFICATE
    if isinstance(error, SSLError) or isinstance(innermost, ssl.SSLError):
        words = getattr(innermost, "reason", None) or type(innermost).__name__
        return f"no secure connection ({words})", CERTIFICATE
    if isinstance(error, Timeout):
        return "it did not answer in time", TIMEOUT
    if isinstance(error, MissingSchema | InvalidSchema | InvalidURL):
        return "its address cannot be used", ENDPOINT
    if isinstance(error, InvalidHeader | UnicodeError):
        return "a header cannot be sent", HEADERS
    if isinstance(error, requests.ConnectionError):
        words = getattr(innermost, "strerror", None) or type(innermost).__name__
        return f"no connection ({words})", ENDPOINT
    if isinstance(error, OSError) and not isinstance(error, requests.RequestException):
        return "a certificate's file cannot be read", CERTIFICATE
    return f"no request could be made ({type(error).__name__})", ENDPOINT


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an exception and those below it, which `urllib3` sometimes hands on as an argument."""
    yield error
    below = error.__cause__ or error.__context__ or next(iter(error.args), None)
    if isinstance(below, BaseException):
        yield from _causes(below)
