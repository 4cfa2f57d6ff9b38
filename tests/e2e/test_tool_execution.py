"""Calls of tools carried out: in check and collect, of the policy's tools, never in decide."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.command import ragate
from tests.servers.rag_server import RagServer, Request, Sent, rag_server

pytestmark = pytest.mark.e2e
CONFIG = """\
[policy]
dataset = "golden.jsonl"
baseline = "baselines/main.json"
systems = ["replay"]
replay_paths = ["outputs.jsonl"]
runs = 1

[policy.execution]
use = "http"
url = "http://{host}/v1"
tools = {{degrees = "GET /degrees/{{city}}"}}
headers_env = {{Authorization = "TOOL_KEY"}}

[policy.metrics.tool_execution]
level = "error"
tolerance = 0.01

[policy.metrics.tool_logic]
level = "warn"

[system]
use = "replay"
paths = ["outputs.jsonl"]
"""
CITIES = [f"City {number}" for number in range(12)]
KEY = {"TOOL_KEY": "Bearer the-key-of-the-tool"}


def degrees(request: Request) -> Any:
    if request.headers.get("authorization") != KEY["TOOL_KEY"]:
        return Sent(status=401)
    cold = "unit=F" in request.path
    return {"degrees": 39.2 if cold else 4, "seen": len(request.path)}


@pytest.fixture
def service() -> Iterator[RagServer]:
    with rag_server(degrees) as server:
        yield server


@pytest.fixture
def project(tmp_path: Path, service: RagServer) -> Path:
    text = CONFIG.format(host=service.host).replace("tolerance", 'ignore = ["seen"]\ntolerance')
    (tmp_path / "ragate.toml").write_text(text)
    rows = [
        {
            "id": city,
            "query": f"How warm is it in {city}?",
            "expected_calls": [{"name": "degrees", "arguments": {"city": city}}],
        }
        for city in CITIES
    ]
    (tmp_path / "golden.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    write_outputs(tmp_path)
    recorded = ragate(tmp_path, "baseline", "update", env=KEY)
    assert recorded.returncode == 0, recorded.stdout + recorded.stderr
    return tmp_path


def write_outputs(project: Path, **arguments: Any) -> None:
    lines = [
        {"id": city, "tool_calls": [{"name": "degrees", "arguments": {"city": city, **arguments}}]}
        for city in CITIES
    ]
    (project / "outputs.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))


def rows_of(report: str) -> dict[str, Any]:
    return {row["metric"]: row for row in json.loads(report)["decision"]["metrics"]}


def test_another_call_with_the_same_result_is_right(project: Path) -> None:
    write_outputs(project, verbose=True)

    checked = ragate(project, "check", "--format", "json", env=KEY)

    assert checked.returncode == 0, checked.stdout + checked.stderr
    rows = rows_of(checked.stdout)
    assert (rows["tool_execution"]["candidate"], rows["tool_logic"]["candidate"]) == (1.0, 0.0)


def test_another_result_is_red_and_says_where_it_differs(project: Path) -> None:
    write_outputs(project, unit="F")

    checked = ragate(project, "check", env=KEY)

    assert checked.returncode == 1, checked.stdout + checked.stderr
    explained = ragate(project, "report", "latest", "--explain", CITIES[0])
    assert "degrees is 39.2, and 4 is right" in explained.stdout


def test_decide_judges_what_collect_carried_out_and_calls_nothing(
    project: Path, service: RagServer
) -> None:
    write_outputs(project, unit="F")
    collected = ragate(project, "collect", "--save-outputs", "run.jsonl", env=KEY)
    assert collected.returncode == 0, collected.stdout + collected.stderr
    asked = len(service.requests)
    assert asked

    decided = ragate(project, "decide", "run.jsonl")

    assert decided.returncode == 1, decided.stdout + decided.stderr
    assert len(service.requests) == asked
    assert "the-key-of-the-tool" not in (project / "run.jsonl").read_text()


def test_a_tool_that_the_policy_does_not_name_gets_no_request(
    project: Path, service: RagServer
) -> None:
    lines = [{"id": city, "tool_calls": [{"name": "delete", "arguments": {}}]} for city in CITIES]
    (project / "outputs.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    before = len(service.requests)

    checked = ragate(project, "check", env=KEY)

    assert checked.returncode == 1, checked.stdout + checked.stderr
    assert len(service.requests) - before == len(CITIES)  # the right ones


def test_an_outage_of_the_tool_is_no_verdict(project: Path) -> None:
    text = (project / "ragate.toml").read_text()
    port = text.partition("http://127.0.0.1:")[2].partition("/")[0]
    (project / "ragate.toml").write_text(text.replace(port, "9"))

    checked = ragate(project, "check", env=KEY)

    assert checked.returncode == 3, checked.stdout + checked.stderr
