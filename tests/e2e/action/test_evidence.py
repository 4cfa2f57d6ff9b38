"""What earlier runs left counts: passes of the same commit, and today's run of the base."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ragate.cli.main import run as ragate
from tests.container.runner import StepResult
from tests.e2e.action.forge import Change, Forge
from tests.e2e.action.talk import judged
from tests.servers.github_stub import github_stub

pytestmark = pytest.mark.e2e

SAMPLES = 60
# One, or three where so few answers of the baseline happened to differ that all are asked again.
EARLIER = re.compile(r"earlier passes of this commit: [13], shown beside this run")
# Answers by chance, and worse where the service "has drifted": no file of the repository says so.
RAG = """\
import os, random
DICE = random.SystemRandom()
def answer(query):
    number = query.split()[-1].strip("?")
    lost = float(os.environ.get("RAG_DRIFT", "0")) + LOSS
    said = "No idea." if DICE.random() < 0.05 + lost else f"It is {number} apples. [1]"
    return {"answer": said, "chunks": [{"doc_id": f"doc{number}.md", "text": f"{number} apples"}]}
"""
CONFIG = """\
[policy]
dataset = "golden.jsonl"
baseline = "baselines/gate.json"
systems = ["python"]
[policy.metrics.token_f1]
level = "error"
[policy.metrics."hit_rate@5"]
level = "error"
[system]
use = "python"
target = "rag:answer"
"""


def rag(loss: float = 0.0) -> bytes:
    return f"LOSS = {loss}\n{RAG}".encode()


@pytest.fixture(scope="module")
def noisy(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Return the files of a project whose answers vary from run to run."""
    folder = tmp_path_factory.mktemp("noisy")
    lines = [
        json.dumps(
            {
                "id": f"q{number}",
                "query": f"What is the value of {number}?",
                "references": [f"It is {number} apples."],
                "relevant": {f"doc{number}.md": 1},
            }
        )
        for number in range(SAMPLES)
    ]
    (folder / "golden.jsonl").write_text("\n".join(lines) + "\n")
    (folder / "ragate.toml").write_text(CONFIG)
    (folder / "rag.py").write_bytes(rag())
    before = Path.cwd()
    sys.modules.pop("rag", None)  # of another project of this process
    os.chdir(folder)
    try:
        assert ragate(["baseline", "update", "--runs", "3"]) == 0
    finally:
        os.chdir(before)
        sys.modules.pop("rag", None)
    names = ("golden.jsonl", "ragate.toml", "rag.py", "baselines/gate.json")
    return {name: (folder / name).read_bytes() for name in names}


@pytest.fixture
def forge(tmp_path: Path, noisy: dict[str, bytes]) -> Iterator[Forge]:
    with github_stub(tmp_path / "github") as github:
        made = Forge(github, tmp_path)
        made.start({**noisy, ".gitignore": b".ragate/\n__pycache__/\n"})
        yield made


def run(forge: Forge, change: Change, attempt: int = 1, drift: float = 0.0) -> StepResult:
    return judged(
        forge,
        change,
        attempt=attempt,
        inputs={"allow-code": "true"},
        env={"RAG_DRIFT": str(drift)},
    )


def test_a_red_commit_stays_red_and_its_earlier_attempt_is_named(forge: Forge):
    change = forge.change({"rag.py": rag(loss=0.5)})

    first, second = run(forge, change), run(forge, change, attempt=2)

    assert (first.exit_code, second.exit_code) == (1, 1), second.log
    assert EARLIER.search(second.log), second.log
    assert forge.states(change.head)[-1] == "failure"
    (earlier,) = json.loads(_report(forge))["decision"]["earlier"]["runs"]
    assert earlier["passes"] in (1, 3)
    assert earlier["failed"]


def test_a_green_attempt_after_a_red_one_is_said_to_be_a_new_draw(forge: Forge):
    change = forge.change({"rag.py": rag() + b"# a comment\n"})

    first = run(forge, change, drift=0.5)
    second = run(forge, change, attempt=2, drift=-0.05)  # it never errs: no luck is needed

    assert (first.exit_code, second.exit_code) == (1, 0), second.log
    warnings = json.loads(_report(forge))["decision"]["warnings"]
    assert any("this verdict is of new answers" in warning for warning in warnings)
    assert "1 earlier run of this commit failed" in second.log


def test_a_pull_request_that_is_reopened_is_no_new_draw(forge: Forge):
    change = forge.change({"rag.py": rag(loss=0.5)})
    options: dict[str, Any] = {"inputs": {"allow-code": "true"}, "env": {"RAG_DRIFT": "0"}}

    first = judged(forge, change, run_id=1, **options)
    second = judged(forge, change, run_id=12, **options)

    assert "earlier passes" not in first.log
    assert EARLIER.search(second.log), second.log
    assert second.exit_code == 1


def _report(forge: Forge) -> str:
    newest = sorted(forge.folder.glob("workspace*"), key=lambda path: path.stat().st_mtime)[-1]
    return (newest / ".ragate/result/report.json").read_text()
