"""A project whose runs are interrupted, and a service that counts what it is asked."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import Any

from ragate.cli.main import run
from tests.e2e.command import unheard
from tests.servers.rag_server import RagServer, Request

SAMPLES, CONCURRENCY = 20, 3
CONFIG = """
[policy]
dataset = "golden.jsonl"
baseline = "b.json"
systems = ["http"]
http_hosts = ["{host}"]
{policy}
[policy.metrics.token_f1]
level = "error"
[system]
use = "http"
url = "{url}"
"""


class Service:
    """Answers each time otherwise, counts what it was asked, and kills who asks when it is told."""

    def __init__(self) -> None:
        self.asked: Counter[str] = Counter()
        self.kill_at = 0
        self.out: set[str] = set()
        self.child: int | None = None
        self.pause_s = 0.0
        self._changes: dict[int, Callable[[], object]] = {}  # by the number of the question
        self._lock = threading.Lock()

    @contextmanager
    def at(
        self, number: int, change: AbstractContextManager[None], *, until: int = 0
    ) -> Iterator[None]:
        """Enter `change` at a question, and leave it at another, or at the end."""
        with ExitStack() as stack:
            self._changes[number] = lambda: stack.enter_context(change)
            if until:
                self._changes[until] = stack.close
            yield
            assert not self._changes

    def answer(self, request: Request) -> Any:
        question = request.json["query"]
        with self._lock:
            self.asked[question] += 1
            number = sum(self.asked.values())
            child = self.child
            if child is not None and 0 < self.kill_at <= number:
                self.child = None
                os.kill(child, signal.SIGKILL)
            change = self._changes.pop(number, None)
        if change is not None:
            change()
        time.sleep(self.pause_s)
        return {"answer": f"It is so, the {number}. time.", "chunks": []}


def configure(root: Path, server: RagServer, policy: str = "") -> None:
    text = CONFIG.format(host=server.host, url=server.url, policy=policy)
    (root / "ragate.toml").write_text(text)


def start(root: Path, service: Service, *arguments: str, kill_after: int = 0) -> int:
    """Run a command, killed at so many further questions; return its exit code."""
    service.kill_at = sum(service.asked.values()) + kill_after if kill_after else 0
    variables = {**os.environ, "RAGATE_CONCURRENCY": str(CONCURRENCY)}
    with unheard(root, *arguments, variables=variables) as child:
        service.child = child.pid
    service.child = None
    return child.wait()


def interrupted(root: Path, *arguments: str, keeping: int = 5) -> None:
    """Leave what a run leaves that was killed after so many answers."""
    run([*arguments] or ["check"])
    for name in ("manifest.json", "scores.jsonl", "report.json"):
        (folder(root) / name).unlink(missing_ok=True)
    begun = folder(root) / "begun.json"
    begun.write_text(begun.read_text().replace('"ended": true', '"ended": false'))
    path = folder(root) / "outputs.jsonl"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[: keeping + 1]))


def folder(root: Path) -> Path:
    (found,) = (root / ".ragate" / "runs").iterdir()
    return found


def finished(root: Path) -> dict[tuple[str, int], str]:
    """Return the answers that stand in the run's file, by sample and pass."""
    lines = (folder(root) / "outputs.jsonl").read_text().splitlines()[1:]
    rows = [json.loads(line) for line in lines if line.endswith("}")]
    return {(row["id"], row["run"]): row["answer"] for row in rows}


def question(sample: str) -> str:
    return f"What is {sample.removeprefix('q')}?"


def asked_again(
    root: Path, service: Service, *arguments: str, runs: int = 1, kill_after: int = 0
) -> int:
    """Go on with a run of so many passes; return how many finished samples were asked again."""
    before, there = Counter(service.asked), finished(root)
    code = start(root, service, *arguments, kill_after=kill_after)
    assert (code == -signal.SIGKILL) == (kill_after > 0)
    assert there.items() <= finished(root).items()
    passes = Counter(sample for sample, _ in there)
    new = Counter(service.asked)
    new.subtract(before)
    most = {question(sample): runs - count for sample, count in passes.items()}
    return sum(max(0, count - most.get(text, runs)) for text, count in new.items())
