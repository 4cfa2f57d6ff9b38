"""Small projects on disk for tests of the whole line."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

CONFIG = """\
[policy]
dataset = "golden.jsonl"
baseline = "baselines/gate.json"
systems = ["replay"]
replay_paths = ["outputs/*.jsonl"]
{policy}

[policy.metrics."hit_rate@5"]
level = "error"
[policy.metrics.token_f1]
level = "error"
{metrics}

[system]
use = "replay"
paths = ["outputs/*.jsonl"]
"""
Answer = Callable[[int, int], Mapping[str, Any]]


def right(number: int, _run: int) -> dict[str, Any]:
    """A right answer from the right document."""
    return {
        "answer": f"The value of {number} is {number} apples. [1]",
        "chunks": [
            {"doc_id": f"doc{number}.md", "text": f"The value of {number} is {number} apples."},
            {"doc_id": "other.md", "text": "Something else."},
        ],
    }


@dataclass
class ReplayProject:
    """A project whose system is recorded outputs."""

    root: Path
    samples: int = 40
    policy: str = ""
    metrics: str = ""
    extra: dict[int, dict[str, Any]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.configure()
        self.write_golden(range(self.samples))
        self.record(right, runs=3)

    def configure(self, *, policy: str | None = None, metrics: str | None = None) -> None:
        text = CONFIG.format(
            policy=self.policy if policy is None else policy,
            metrics=self.metrics if metrics is None else metrics,
        )
        (self.root / "ragate.toml").write_text(text)

    def write_golden(self, numbers: Sequence[int] | range, **fields: Any) -> None:
        lines = [
            {
                "id": f"q{number}",
                "query": f"What is the value of {number}?",
                "relevant": {f"doc{number}.md": 1},
                "references": [f"The value of {number} is {number} apples."],
                **fields,
                **self.extra.get(number, {}),
            }
            for number in numbers
        ]
        (self.root / "golden.jsonl").write_text(_lines(lines))

    def record(self, answer: Answer, *, runs: int = 1) -> None:
        """Write one outputs file a run, in place of what was there."""
        folder = self.root / "outputs"
        folder.mkdir(exist_ok=True)
        for old in folder.glob("*.jsonl"):
            old.unlink()
        for run in range(runs):
            lines = [{"id": f"q{n}", **answer(n, run)} for n in range(self.samples)]
            (folder / f"run{run}.jsonl").write_text(_lines(lines))

    def report(self) -> dict[str, Any]:
        """Return the newest run's report."""
        newest = max((self.root / ".ragate" / "runs").glob("*/report.json"))
        found: dict[str, Any] = json.loads(newest.read_text())
        return found


def _lines(values: Sequence[Mapping[str, Any]]) -> str:
    return "".join(json.dumps(value) + "\n" for value in values)


DOCS_CONFIG = """\
[policy]
dataset = "golden.jsonl"
baseline = "baselines/docs.json"
systems = ["pgvector"]

[policy.metrics."recall@5"]
level = "error"
[policy.metrics.token_f1]
level = "error"

[system]
use = "pgvector"
corpus = "docs"
chunk_size = 128
chunk_overlap = 16
retrieval = "bm25"
top_k = 5
"""
TOPICS = ("apples", "pears", "plums", "grapes", "cherries", "figs", "lemons", "melons")


def write_docs_project(root: Path) -> None:
    """Write a folder of eight small pages, a question on each, and a gate on the built-in RAG."""
    (root / "docs").mkdir(parents=True, exist_ok=True)
    lines = []
    for number, topic in enumerate(TOPICS):
        text = f"Our {topic} come from orchard {number}. They are picked in month {number + 1}."
        (root / "docs" / f"{topic}.md").write_text(f"# About {topic}\n\n{text}\n")
        lines.append(
            {
                "id": topic,
                "query": f"Where do the {topic} come from?",
                "relevant": {f"{topic}.md": 1},
                "references": [f"The {topic} come from orchard {number}."],
            }
        )
    (root / "golden.jsonl").write_text(_lines(lines))
    (root / "ragate.toml").write_text(DOCS_CONFIG)


def edit_apples(root: Path) -> None:
    """Word a page otherwise: whoever retrieves it is asked anew."""
    page = root / "docs" / "apples.md"
    page.write_text(page.read_text().replace("picked", "taken"))
