"""Calls of tools carried out: in check and collect, never in decide."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.command import ragate

pytestmark = pytest.mark.e2e
CONFIG = """\
[policy]
dataset = "golden.jsonl"
baseline = "baselines/main.json"
systems = ["replay"]
replay_paths = ["outputs.jsonl"]
runs = 1

[policy.execution]
target = "tools:call"

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
# Every call leaves a line; where the file `down` is, nobody answers.
TOOLS = """
from pathlib import Path

def call(name, arguments):
    if Path("down").exists():
        raise ConnectionError("nobody answers")
    with Path("calls.txt").open("a") as file:
        file.write(name + "\\n")
    if name != "degrees":
        raise ValueError("no such tool")
    cold = arguments.get("unit") == "F"
    return {"degrees": 39.2 if cold else 4, "seen": len(str(arguments))}
"""


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with its baseline, to be copied."""
    root = tmp_path_factory.mktemp("recording")
    text = CONFIG.replace("tolerance", 'ignore = ["seen"]\ntolerance')
    (root / "ragate.toml").write_text(text)
    (root / "tools.py").write_text(TOOLS)
    rows = [
        {
            "id": city,
            "query": f"How warm is it in {city}?",
            "expected_calls": [{"name": "degrees", "arguments": {"city": city}}],
        }
        for city in CITIES
    ]
    (root / "golden.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    write_outputs(root)
    recorded = ragate(root, "baseline", "update")
    assert recorded.returncode == 0, recorded.stdout + recorded.stderr
    return root


@pytest.fixture
def project(tmp_path: Path, recording: Path) -> Path:
    return Path(shutil.copytree(recording, tmp_path, dirs_exist_ok=True))


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

    checked = ragate(project, "check", "--format", "json")

    assert checked.returncode == 0, checked.stdout + checked.stderr
    rows = rows_of(checked.stdout)
    assert (rows["tool_execution"]["candidate"], rows["tool_logic"]["candidate"]) == (1.0, 0.0)


def test_another_result_is_red_and_says_where_it_differs(project: Path) -> None:
    write_outputs(project, unit="F")

    checked = ragate(project, "check")

    assert checked.returncode == 1, checked.stdout + checked.stderr
    explained = ragate(project, "report", "latest", "--explain", CITIES[0])
    assert "degrees is 39.2, and 4 is right" in explained.stdout


def test_decide_judges_what_collect_carried_out_and_calls_nothing(project: Path) -> None:
    write_outputs(project, unit="F")
    collected = ragate(project, "collect", "--save-outputs", "run.jsonl")
    assert collected.returncode == 0, collected.stdout + collected.stderr
    called = (project / "calls.txt").read_text()

    decided = ragate(project, "decide", "run.jsonl")

    assert decided.returncode == 1, decided.stdout + decided.stderr
    assert (project / "calls.txt").read_text() == called


def test_a_call_that_the_function_refuses_is_wrong(project: Path) -> None:
    lines = [{"id": city, "tool_calls": [{"name": "delete", "arguments": {}}]} for city in CITIES]
    (project / "outputs.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))

    checked = ragate(project, "check")

    assert checked.returncode == 1, checked.stdout + checked.stderr


def test_an_outage_of_the_tool_is_no_verdict(project: Path) -> None:
    (project / "down").touch()

    checked = ragate(project, "check")

    assert checked.returncode == 3, checked.stdout + checked.stderr
