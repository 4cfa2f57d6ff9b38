"""Whatever a file holds, its reader returns or raises an error of ours: never another one."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from ragate.baseline import load_baseline
from ragate.cache import Cache
from ragate.cache.transfer import import_cache
from ragate.config.read import load_config
from ragate.dataset import read_dataset
from ragate.errors import RagateError
from ragate.github.event.event import read_event
from ragate.github.event.slash_command import parse_command
from ragate.outputs.outputs_file import read_outputs
from tests.unit.readers.mutation import Read, json_lines, json_text, only_our_errors

GOLDEN = [
    {"id": "a", "query": "What?", "relevant": {"a.md": 1}, "references": ["This."]},
    {"id": "b", "query": "Who?", "relevant": ["b.md"], "tags": ["x"], "metadata": {"k": 1}},
]
OUTPUTS = [
    {"id": "a", "run": 0, "answer": "This.", "chunks": [{"doc_id": "a.md", "text": "t"}]},
    {"query": "Who?", "answer": "That.", "chunks": ["b.md"], "usage": {"calls": 1}},
]
BASELINE = {
    "schema_version": 1,
    "recorded": {"commit": "", "date": "2026-01-01"},
    "dataset": "golden.jsonl",
    "store": "answers",
    "system": {"use": "replay", "fingerprint": "", "deterministic": ["answer"], "parts": {}},
    "judge": None,
    "runs": 2,
    "identical": 0,
    "aggregates": [{"error_rate": 0.0}, {"error_rate": 0.0}],
    "metrics": {"mrr": {"name": "mrr", "reads": "retrieval"}},
    "states": {"idf_f1": {"a": 1.5}},
    "samples": {
        "a": {
            "hash": "h",
            "outputs": [{"output": "o", "retrieval": "r", "docs": ["a"], "scores": {"mrr": 1.0}}],
            "runs": [0, 0],
        }
    },
}
EVENT = {
    "repository": {"full_name": "o/r", "default_branch": "main"},
    "number": 3,
    "action": "opened",
    "pull_request": {
        "number": 3,
        "head": {"sha": "a" * 40, "ref": "x", "repo": {"full_name": "o/r", "fork": False}},
        "base": {"sha": "b" * 40, "ref": "main", "repo": {"full_name": "o/r"}},
        "user": {"login": "me", "type": "User"},
        "merge_commit_sha": "c" * 40,
        "labels": [],
    },
    "comment": {"id": 1, "body": "/ragate accept", "user": {"login": "me", "type": "User"}},
    "issue": {"number": 3, "pull_request": {}},
    "workflow_run": {"id": 1, "head_sha": "a" * 40, "event": "pull_request", "pull_requests": []},
    "merge_group": {"head_sha": "a" * 40, "base_sha": "b" * 40},
}
CONFIG = """
[policy]
dataset = "golden.jsonl"
baseline = "b.json"
systems = ["replay", "http"]
replay_paths = ["out/*.jsonl"]
alpha = 0.02
[policy.providers.openai]
base_url = "https://api.openai.com/v1"
key_env = "OPENAI_API_KEY"
[policy.judge]
use = "rubric"
provider = "openai"
model = "m"
[policy.metrics."ndcg@10"]
max_drop = 0.02
[policy.metrics.faithfulness]
minimum = 0.8
[[policy.waivers]]
id = "q"
metric = "ndcg@10"
owner = "me"
reason = "r"
until = 2030-01-01
[system]
use = "replay"
path = "out/*.jsonl"
"""
CACHE = [
    {"ragate_cache": 1},
    {"verdict": "0" * 64, "criterion": "faithfulness", "score": {"value": 1.0, "reason": "r"}},
    {"draw": "0" * 64, "session": "s", "number": 0, "reply": {"text": "x"}},
    {"embedding": "0" * 64, "vector": "AACAPw=="},
]


def csv_text(rows: Any) -> bytes:
    file = io.StringIO()
    names = list(rows[0])
    writer = csv.DictWriter(file, names, extrasaction="ignore")
    writer.writeheader()
    for row in rows:
        writer.writerow({k: v if isinstance(v, str) else json.dumps(v) for k, v in row.items()})
    return file.getvalue().encode("utf-8", "surrogatepass")


def yaml_text(value: Any) -> bytes:
    return yaml.safe_dump(value, allow_unicode=False).encode("utf-8", "surrogatepass")


def outputs(path: Path) -> object:
    return list(read_outputs(path)[1])


def event(path: Path) -> object:
    kinds = ("pull_request", "issue_comment", "workflow_run", "merge_group", "push", "schedule")
    for name in kinds:
        environ = {
            "GITHUB_EVENT_NAME": name,
            "GITHUB_EVENT_PATH": str(path),
            "GITHUB_REPOSITORY": "o/r",
            "GITHUB_SHA": "a" * 40,
            "GITHUB_REF": "refs/heads/main",
            "GITHUB_RUN_ID": "1",
        }
        try:
            read_event(environ)
        except RagateError:
            continue
    return None


def cache_rows(path: Path) -> object:
    with Cache(path.with_name("cache.sqlite")) as cache:
        return import_cache(cache, path)


def commands(path: Path) -> object:
    return parse_command(path.read_bytes().decode("utf-8", "replace"))


COMMAND = '/ragate accept abcdef1234 mrr "why"'
Reader = tuple[str, Read, Any, Callable[[Any], bytes]]
READERS: dict[str, Reader] = {
    "golden set, jsonl": ("g.jsonl", read_dataset, GOLDEN, json_lines),
    "golden set, json": ("g.json", read_dataset, GOLDEN, json_text),
    "golden set, yaml": ("g.yaml", read_dataset, GOLDEN, yaml_text),
    "golden set, csv": ("g.csv", read_dataset, GOLDEN[:1], csv_text),
    "outputs": ("outputs.jsonl", outputs, OUTPUTS, json_lines),
    "baseline": ("b.json", load_baseline, BASELINE, json_text),
    "exported cache": ("c.jsonl", cache_rows, CACHE, json_lines),
    "configuration": ("ragate.toml", load_config, CONFIG, lambda text: str(text).encode()),
    "event": ("event.json", event, EVENT, json_text),
    "command": ("c.txt", commands, COMMAND, lambda text: str(text).encode()),
}


@pytest.mark.parametrize("name", READERS)
def test_no_input_leads_to_an_error_that_is_not_ours(name: str, tmp_path: Path):
    file, read, good, write = READERS[name]

    only_our_errors(name, read, good, write, tmp_path / file)


@pytest.mark.parametrize("name", READERS)
def test_the_input_that_is_changed_is_a_good_one(name: str, tmp_path: Path):
    file, read, good, write = READERS[name]
    path = tmp_path / file
    path.write_bytes(write(good))
    if name == "configuration":
        (tmp_path / "golden.jsonl").write_bytes(json_lines(GOLDEN))

    read(path)
