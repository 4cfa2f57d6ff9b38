"""Recorded tool calls, from the baseline to a red verdict that names what is wrong."""

from __future__ import annotations

import json
from pathlib import Path

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

[policy.metrics.tool_logic]
level = "error"

[policy.metrics.tool_syntax]
level = "warn"

[policy.metrics.irrelevance]
level = "warn"

[system]
use = "replay"
paths = ["outputs.jsonl"]
"""
CITIES = [f"City {number}" for number in range(12)]
TOOL = {
    "type": "function",
    "function": {
        "name": "weather",
        "parameters": {
            "type": "object",
            "properties": {"city": {"type": "string"}},
            "required": ["city"],
        },
    },
}


def write_golden_set(path: Path) -> None:
    rows = [
        {
            "id": city,
            "query": f"How warm is it in {city}?",
            "tools": [TOOL],
            "expected_calls": [{"name": "weather", "arguments": {"city": city}}],
        }
        for city in CITIES
    ]
    rows.append({"id": "poem", "query": "Write a poem.", "tools": [TOOL], "expected_calls": []})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def write_outputs(path: Path, *, argument: str = "city") -> None:
    rows = [
        {
            "id": city,
            "tool_calls": [
                {
                    "type": "function",
                    "function": {"name": "weather", "arguments": json.dumps({argument: city})},
                }
            ],
        }
        for city in CITIES
    ]
    rows.append({"id": "poem", "answer": "Rain, rain.", "tool_calls": []})
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def test_calls_with_an_argument_renamed_are_red_and_say_why(tmp_path: Path) -> None:
    (tmp_path / "ragate.toml").write_text(CONFIG)
    write_golden_set(tmp_path / "golden.jsonl")
    write_outputs(tmp_path / "outputs.jsonl")
    recorded = ragate(tmp_path, "baseline", "update")
    assert recorded.returncode == 0, recorded.stdout + recorded.stderr
    unchanged = ragate(tmp_path, "check")
    assert unchanged.returncode == 0, unchanged.stdout + unchanged.stderr

    write_outputs(tmp_path / "outputs.jsonl", argument="town")
    broken = ragate(tmp_path, "check", "--format", "json")

    assert broken.returncode == 1, broken.stdout + broken.stderr
    rows = {row["metric"]: row for row in json.loads(broken.stdout)["decision"]["metrics"]}
    assert rows["tool_logic"]["candidate"] == pytest.approx(1 / 13)
    assert rows["irrelevance"]["candidate"] == 1.0
    explained = ragate(tmp_path, "report", "latest", "--explain", CITIES[0])
    assert "weather: city is missing" in explained.stdout


def test_relative_dates_are_read_as_of_the_date_that_is_asked_for(tmp_path: Path) -> None:
    (tmp_path / "ragate.toml").write_text(
        CONFIG.replace('level = "error"\n', 'level = "error"\ndates = "structural"\n')
    )
    rows = [
        {
            "id": city,
            "query": f"What was new in {city} since last week?",
            "expected_calls": [{"name": "news", "arguments": {"since": "7 days ago"}}],
        }
        for city in CITIES
    ]
    (tmp_path / "golden.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    call = {"name": "news", "arguments": {"since": "2026-11-14"}}
    outputs = [{"id": city, "tool_calls": [call]} for city in CITIES]
    (tmp_path / "outputs.jsonl").write_text("".join(json.dumps(row) + "\n" for row in outputs))
    recorded = ragate(tmp_path, "baseline", "update", "--eval-date", "2026-11-21")
    assert recorded.returncode == 0, recorded.stdout + recorded.stderr

    same = ragate(tmp_path, "check", "--eval-date", "2026-11-21")
    later = ragate(tmp_path, "check", "--eval-date", "2026-11-22")

    assert same.returncode == 0, same.stdout + same.stderr
    assert later.returncode == 1, later.stdout + later.stderr
    assert "the baseline as of 2026-11-21" in later.stdout
