"""Projects with a judge for `judged_line.py`, and the command as it is started by a user."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

CONTEXTS = 5
CONTEXT_CHARS = 1500
JUDGED = """
[policy.providers.judging]
base_url = "{judge_url}"
key_env = "TEST_KEY"

[policy.providers.answering]
base_url = "{answer_url}"
key_env = "TEST_KEY"

[policy.judge]
use = "rubric"
provider = "judging"
model = "judge-1"
concurrency = {concurrency}

[policy.metrics.faithfulness]
[policy.metrics.relevancy]
[policy.metrics.correctness]
"""
REPLAY = """\
[policy]
dataset = "golden.jsonl"
baseline = "baselines/gate.json"
systems = ["replay"]
replay_paths = ["outputs.jsonl"]
runs = 1
max_calls = 1000000
{policy}
{judged}
[system]
use = "replay"
paths = ["outputs.jsonl"]
"""
PLAIN = """\
[policy]
dataset = "golden.jsonl"
baseline = "baselines/gate.json"
systems = ["replay"]
replay_paths = ["outputs.jsonl"]
runs = 1
{policy}
[policy.metrics."recall@5"]
[policy.metrics.lexical_support]
[policy.metrics.token_f1]
[system]
use = "replay"
paths = ["outputs.jsonl"]
"""
PAGES = """\
[policy]
dataset = "golden.jsonl"
baseline = "baselines/gate.json"
systems = ["pgvector"]
runs = 1
max_calls = 1000000
{policy}
[policy.metrics."recall@5"]
{judged}
[system]
use = "pgvector"
corpus = "docs"
chunk_size = 128
chunk_overlap = 16
retrieval = "bm25"
top_k = 1

[system.answer]
use = "chat"
provider = "answering"
model = "answer-1"
"""


@dataclass(frozen=True)
class Ran:
    """How one command went; CPU and memory are of its own process."""

    code: int
    wall_s: float
    cpu_s: float
    peak_mb: float
    said: str


@dataclass
class Project:
    """A gate in a folder of its own.

    Attributes:
        template: `REPLAY`, `PLAIN` (without a judge) or `PAGES`.
        python: What runs it: that of another checkout runs the other's code.
    """

    root: Path
    template: str
    url: str
    samples: int
    concurrency: int = 16
    policy: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)
    python: str = sys.executable

    def write(self) -> Project:
        """Write the configuration and the golden set."""
        self.root.mkdir(parents=True, exist_ok=True)
        judged = JUDGED.format(
            judge_url=self.url, answer_url=self.url, concurrency=self.concurrency
        )
        text = self.template.format(policy=self.policy, judged=judged)
        (self.root / "ragate.toml").write_text(text)
        item = "item{0}" if self.template == PAGES else "value of {0}"
        write_lines(
            self.root / "golden.jsonl",
            (
                {
                    "id": f"q{number}",
                    "query": f"Where does {item.format(number)} come from?",
                    "relevant": {f"doc{number}.md": 1},
                    "references": [f"It comes from orchard {number}."],
                }
                for number in range(self.samples)
            ),
        )
        return self

    def record(self, version: str) -> None:
        """Write outputs that differ from those of any other version."""
        write_lines(
            self.root / "outputs.jsonl",
            (output(number, version) for number in range(self.samples)),
        )

    def write_pages(self) -> None:
        for number in range(self.samples):
            self.write_page(number, "picked")

    def write_page(self, number: int, word: str) -> None:
        page = self.root / "docs" / f"doc{number}.md"
        page.parent.mkdir(exist_ok=True)
        page.write_text(f"# item{number}\n\nOur item{number} is {word} in orchard {number}.\n")

    def forget(self) -> None:
        """Remove what the machine remembers; the baseline stays."""
        (self.root / ".ragate" / "cache.sqlite").unlink(missing_ok=True)

    def ragate(self, *arguments: str, **environment: str) -> Ran:
        """Run the command to its end."""
        return run_python(
            ["-c", "from ragate.cli.main import main; main()", *arguments],
            self.root,
            {"RAGATE_CONCURRENCY": str(self.concurrency), **self.environment, **environment},
            python=self.python,
        )

    def report(self) -> dict[str, Any]:
        newest = max((self.root / ".ragate" / "runs").glob("*/report.json"))
        found: dict[str, Any] = json.loads(newest.read_text())
        return found

    def scores(self) -> dict[str, Any]:
        """Return every score of the newest run by sample and metric."""
        newest = max((self.root / ".ragate" / "runs").glob("*/scores.jsonl"))
        rows = [json.loads(line) for line in newest.read_text().splitlines()]
        return {row.get("sample_id", row.get("id")): row["scores"] for row in rows}


def run_python(
    arguments: list[str],
    folder: Path,
    environment: Mapping[str, str],
    *,
    python: str = sys.executable,
) -> Ran:
    """Run Python and measure it, with bytecode as an installed package has it."""
    clean = {key: value for key, value in os.environ.items() if not key.startswith("RAGATE_")}
    said = folder / "said.txt"
    start = time.monotonic()
    with said.open("wb") as output_file:
        process = subprocess.Popen(
            [python, *arguments],
            cwd=folder,
            env={
                **clean,
                "PYTHONDONTWRITEBYTECODE": "",
                "TEST_KEY": "sk-canary-0123456789abcdef",
                **environment,
            },
            stdout=output_file,
            stderr=subprocess.STDOUT,
        )
        _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return Ran(
        code=process.returncode,
        wall_s=time.monotonic() - start,
        cpu_s=used.ru_utime + used.ru_stime,
        peak_mb=_megabytes(used),
        said=said.read_text(errors="replace"),
    )


def _megabytes(used: resource.struct_rusage) -> float:
    return used.ru_maxrss / 1024


def output(number: int, version: str) -> dict[str, Any]:
    words = f"Orchard {number} grows apples. "
    text = (words * (CONTEXT_CHARS // len(words) + 1))[: CONTEXT_CHARS - 3]
    return {
        "id": f"q{number}",
        "answer": f"It comes from orchard {number}, as version {version} says. {words}",
        "chunks": [
            {"doc_id": f"doc{number if place == 0 else place}.md", "text": f"{text} {place}."}
            for place in range(CONTEXTS)
        ],
    }


def write_lines(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    with path.open("w") as file:
        for row in rows:
            file.write(json.dumps(row) + "\n")
