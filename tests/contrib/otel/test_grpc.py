"""OTLP over gRPC: the same messages by another protocol, and why they did not arrive."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

grpc = pytest.importorskip("grpc", reason="grpcio, of the extra otel-grpc, is not installed")

from ragate.cli.main import run  # noqa: E402
from ragate.contrib.otel import exporting as sending  # noqa: E402
from ragate.contrib.otel.exporting import exporting  # noqa: E402
from ragate.spans import Spanned, span  # noqa: E402
from tests.contrib.otel.conftest import KEY, ask_anew  # noqa: E402
from tests.contrib.otel.test_collector import answering, is_silent  # noqa: E402
from tests.servers.certificates import signed_by_nobody  # noqa: E402
from tests.servers.collector import collector  # noqa: E402
from tests.servers.grpc_collector import grpc_collector  # noqa: E402

pytestmark = pytest.mark.integration


def sent(patch: pytest.MonkeyPatch, url: str, **variables: str) -> list[str]:
    """Send one span by gRPC; return what was said."""
    patch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", url)
    patch.setenv("OTEL_EXPORTER_OTLP_TIMEOUT", "0.7")
    patch.setenv("OTEL_EXPORTER_OTLP_HEADERS", f"x-api-key={KEY}")
    for name, value in variables.items():
        patch.setenv(f"OTEL_EXPORTER_OTLP_{name}", value)
    said: list[str] = []
    environment = {"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}
    with exporting(environment, texts=False, say=said.append), span(Spanned.DECIDE):
        pass
    return said


def told(said: list[str]) -> tuple[str, str]:
    """Return the reason for which the span did not arrive, and the variable to look at."""
    first, second = next(line for line in said if "spans" in line).split("\n")
    assert KEY not in first
    assert "127.0.0.1" not in first
    reason = first.partition("collector: ")[2].removesuffix("; the verdict stands")
    return reason, second.removeprefix("  -> see OTEL_EXPORTER_OTLP_")


def test_a_check_sends_by_grpc_what_it_sends_by_http(recorded, monkeypatch, capfd):
    received = []
    for made, protocol in ((collector, "http/protobuf"), (grpc_collector, "grpc")):
        ask_anew(recorded)
        (recorded / ".ragate" / "cache.sqlite").unlink(missing_ok=True)
        with made() as seen:
            monkeypatch.setenv("RAGATE_TELEMETRY", "1")
            monkeypatch.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", protocol)
            monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", seen.url)
            monkeypatch.setenv("OTEL_EXPORTER_OTLP_HEADERS", f"x-api-key={KEY}")
            assert run(["check"]) in {0, 1}
        assert "did not reach" not in capfd.readouterr().err
        assert seen.headers[0]["x-api-key"] == KEY
        received.append(seen)

    by_http, by_grpc = received
    assert len(by_grpc.named("ragate.sample")) == len(by_http.named("ragate.sample")) > 0
    assert len(by_grpc.events) == len(by_http.events) > 0
    names, other = ({each.name for each in seen.metrics} for seen in (by_http, by_grpc))
    assert names & other > {"ragate.verdicts", "ragate.samples", "ragate.sample.pace"}
    # Who asks second finds judgements, and asks none.
    assert names ^ other <= {"ragate.judge.pace", "ragate.judge.queue"}


@pytest.mark.parametrize(
    ("code", "reason", "variable"),
    [
        (grpc.StatusCode.UNAUTHENTICATED, "it answered UNAUTHENTICATED", "HEADERS"),
        (grpc.StatusCode.PERMISSION_DENIED, "it answered PERMISSION_DENIED", "HEADERS"),
        (grpc.StatusCode.UNIMPLEMENTED, "it answered UNIMPLEMENTED", "ENDPOINT"),
    ],
)
def test_an_answer_is_told_by_its_code(monkeypatch, code, reason, variable):
    with grpc_collector(code=code) as seen:
        said = sent(monkeypatch, seen.url)

    assert told(said) == (reason, variable)
    assert "what a server says" not in said[0]
    assert len(seen.bodies) == 1


def test_after_a_batch_that_was_refused_none_is_sent(monkeypatch):
    monkeypatch.setenv("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "1")
    said: list[str] = []
    with grpc_collector(code=grpc.StatusCode.UNAUTHENTICATED) as seen:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", seen.url)
        environment = {"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}
        with exporting(environment, texts=False, say=said.append):
            for _ in range(3):
                with span(Spanned.DECIDE):
                    pass

    assert len(seen.bodies) == 1
    assert "spans (3) did not reach the collector: it answered UNAUTHENTICATED" in said[0]


def test_nobody_there_is_told(monkeypatch):
    assert told(sent(monkeypatch, "http://127.0.0.1:9")) == ("no connection", "ENDPOINT")


def test_the_port_for_http_is_told(monkeypatch):
    with collector() as seen:
        assert told(sent(monkeypatch, seen.url)) == ("no connection", "ENDPOINT")


def test_a_collector_that_says_nothing_costs_seconds(monkeypatch):
    monkeypatch.setattr(sending, "END_S", 2.0)
    started = time.monotonic()
    with answering(is_silent) as url:
        reason, variable = told(sent(monkeypatch, url))

    assert (reason, variable) in {
        ("it did not answer in time", "TIMEOUT"),
        ("no connection", "ENDPOINT"),
    }
    assert time.monotonic() - started < 30


def test_an_authority_is_trusted_where_it_is_named(monkeypatch, tmp_path: Path):
    pair = signed_by_nobody(tmp_path)
    with grpc_collector(pair=pair) as seen:
        assert told(sent(monkeypatch, seen.url)) == ("no secure connection", "CERTIFICATE")
        assert not seen.spans
        assert not sent(monkeypatch, seen.url, CERTIFICATE=str(pair))
        assert seen.spans


QUIET = """
import os
from ragate.contrib.otel.exporting import exporting
from ragate.spans import Spanned, span
from tests.servers.grpc_collector import grpc_collector

for _ in range(5):
    with grpc_collector() as seen:
        os.environ["OTEL_EXPORTER_OTLP_ENDPOINT"] = seen.url.replace("http:", "https:")
        with exporting({"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, texts=False, say=print):
            with span(Spanned.DECIDE):
                pass
print("GRPC_VERBOSITY" in os.environ)
"""


def test_the_librarys_own_lines_which_name_addresses_are_not_written(tmp_path: Path) -> None:
    # The collector of the test has loaded gRPC by then: it is loaded as a run loads it.
    script = f"import ragate.contrib.otel.by_grpc\n{QUIET}"
    environment = {**os.environ, "OTEL_EXPORTER_OTLP_TIMEOUT": "0.5"}
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=environment, check=True
    )

    assert "no secure connection" in done.stdout
    assert done.stdout.splitlines()[-1] == "False"
    assert done.stderr == ""


def test_each_signal_has_a_protocol_of_its_own(monkeypatch):
    with collector() as by_http, grpc_collector() as by_grpc:
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", by_grpc.url)
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", f"{by_http.url}/v1/metrics")
        environment = {
            "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc",
            "OTEL_EXPORTER_OTLP_METRICS_PROTOCOL": "http/protobuf",
        }
        with exporting(environment, texts=False, say=print), span(Spanned.CHAT, "m"):
            pass

    assert [each.name for each in by_grpc.spans] == ["chat m"]
    assert by_http.metrics
    assert not by_grpc.metrics


def test_without_the_extra_it_is_a_usage_error(recorded, monkeypatch, capsys):
    monkeypatch.setenv("RAGATE_TELEMETRY", "1")
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
    monkeypatch.delitem(sys.modules, "ragate.contrib.otel.by_grpc", raising=False)
    monkeypatch.setitem(sys.modules, "grpc", None)

    assert run(["check"]) == 2

    error = capsys.readouterr().err
    assert "OpenTelemetry's exporter for it is not installed (grpc)" in error
    assert "[otel,otel-grpc]" in error


def test_the_run_is_stored_as_without_telemetry(recorded, monkeypatch):
    with grpc_collector() as seen:
        monkeypatch.setenv("RAGATE_TELEMETRY", "1")
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
        monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", seen.url)
        assert run(["check"]) == 0

    report = json.loads(max(recorded.glob(".ragate/runs/*/report.json")).read_text())
    assert report["decision"]["verdict"] == "passed"
    assert seen.named("ragate.run")
