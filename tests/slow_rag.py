"""A project whose RAG takes its time and notes every question: for runs that many machines ask."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from tests.repositories import git

CONFIG = """\
[policy]
dataset = "golden.jsonl"
baseline = "baseline.json"
systems = ["python"]

[policy.metrics.number_recall]
[policy.metrics.token_f1]

[system]
use = "python"
target = "slow_rag_of_a_test:answer"
"""
# What it knows lies outside of the checkouts, as the data of a service does.
CODE = """\
import asyncio, json, os, pathlib, time

SERVICE = pathlib.Path({service!r})

def parent_of(process):
    stat = pathlib.Path(f"/proc/{{process}}/stat").read_text()
    return int(stat.rpartition(")")[2].split()[1])

RAGATE = parent_of(os.getppid())  # above the process that ends what this one leaves behind

def knobs_now():
    return json.loads((SERVICE / "knobs.json").read_text())

async def answer(query):
    started, knobs = time.monotonic(), knobs_now()
    with open(SERVICE / "asked.log", "a") as file:
        file.write(f"{{RAGATE}} {{time.time():.3f}} {{query}}\\n")
    while (left := started + knobs_now()["seconds"] - time.monotonic()) > 0:
        await asyncio.sleep(min(left, 0.1))
    number = int(query.split()[-1].rstrip("?"))
    said = f"The price of item {{number}} was {{100 + number}} euros."
    said = "I do not know." if number in knobs["wrong"] else said
    return {{"answer": said, "contexts": ["The prices of all years."]}}
"""


class SlowProject:
    """A git repository with questions on prices, and the service that its RAG asks.

    Args:
        seconds: How long an answer takes.
    """

    def __init__(self, folder: Path, *, samples: int = 40, seconds: float = 0.05) -> None:
        self.root = folder / "project"
        self.root.mkdir(parents=True)
        self._service = folder / "service"
        self._service.mkdir()
        self.answer(seconds=seconds)
        rows = [
            {
                "id": f"q{number:04}",
                "query": f"What was the price of item {number}?",
                "references": [f"The price of item {number} was {100 + number} euros."],
            }
            for number in range(samples)
        ]
        (self.root / "golden.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        code = CODE.format(service=str(self._service))
        (self.root / "slow_rag_of_a_test.py").write_text(code)
        (self.root / "ragate.toml").write_text(CONFIG)
        (self.root / ".gitignore").write_text(".ragate/\n__pycache__/\nbaseline.json\n")
        git(self.root, "init", "-q", "-b", "main")
        self.commit()

    def answer(self, *, wrong: tuple[int, ...] = (), seconds: float = 0.05) -> None:
        """Let the service answer `wrong` wrongly from now on, and all that wait by its new pace."""
        knobs = {"seconds": seconds, "wrong": wrong}
        new = self._service / "new.json"
        new.write_text(json.dumps(knobs))
        new.rename(self._service / "knobs.json")

    def asked(self) -> Counter[str]:
        """Return how often each question came."""
        return Counter(line.split(" ", 2)[2] for line in self._log())

    def asked_at(self) -> list[float]:
        """Return when each question came, in seconds since 1970."""
        return sorted(float(line.split(" ", 2)[1]) for line in self._log())

    def asked_by(self, pid: int) -> int:
        """Return how many questions a process of ragate had asked."""
        return sum(line.startswith(f"{pid} ") for line in self._log())

    def forget_asked(self) -> None:
        (self._service / "asked.log").unlink(missing_ok=True)

    def _log(self) -> list[str]:
        path = self._service / "asked.log"
        return path.read_text().splitlines() if path.exists() else []

    def commit(self) -> None:
        """Commit what is there."""
        git(self.root, "add", "-A")
        git(self.root, "commit", "-q", "--allow-empty", "-m", "a state")

    def clone(self, name: str) -> Path:
        """Return another checkout of the same commit, as another machine has one."""
        target = self.root.parent / name
        git(self.root, "clone", "-q", str(self.root), str(target))
        return target


def report_of(root: Path) -> dict[str, Any]:
    """Return the newest report without what differs between any two runs: ids and times."""
    newest = max((root / ".ragate" / "runs").glob("*/report.json"))
    found: dict[str, Any] = json.loads(newest.read_text())
    del found["run_id"], found["created"], found["facts"]["duration_s"]
    for outcome in found["outcomes"]:
        outcome.pop("latency_s", None)
    return found


def baseline_of(root: Path) -> str:
    """Return the baseline's text without ids and times."""
    lines = []
    for line in (root / "baseline.json").read_text().splitlines():
        plain = [part for part in ("run_id", "created", "latency") if f'"{part}' in line]
        if not plain:
            lines.append(line)
    return "\n".join(lines)
