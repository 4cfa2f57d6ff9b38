"""``ragate check --base``: a branch is judged by the rules of a commit, as a pull request is."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.e2e.command import ragate

pytestmark = pytest.mark.e2e
CONFIG = """
system = {use = "replay", paths = ["out.jsonl"]}
[policy]
dataset = "golden.jsonl"
baseline = "main.json"
systems = ["replay"]
replay_paths = ["out.jsonl"]
metrics = {"recall@3" = {level = "error"}}
"""


def git(root: Path, *arguments: str) -> None:
    own = ("-c", "user.name=a", "-c", "user.email=a@b.c")
    subprocess.run(["git", "-C", str(root), *own, *arguments], check=True, capture_output=True)


def answers(root: Path, *, lost: int) -> None:
    rows = [
        {
            "id": f"q{n}",
            "answer": "A.",
            "chunks": [{"doc_id": "x" if n < lost else "a", "text": "A"}],
        }
        for n in range(20)
    ]
    (root / "out.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))


@pytest.fixture
def branch(tmp_path: Path) -> Path:
    """Return a branch whose RAG lost half of its documents, and whose gate looks away."""
    root = tmp_path / "apps/rag"
    root.mkdir(parents=True)
    rows = [{"id": f"q{n}", "query": f"Q {n}?", "relevant": {"a": 1}} for n in range(20)]
    (root / "golden.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    (root / "ragate.toml").write_text(CONFIG)
    answers(root, lost=0)
    git(tmp_path, "init", "-q", "-b", "main")
    (tmp_path / ".gitignore").write_text(".ragate/\n")
    git(tmp_path, "add", ".gitignore")
    git(tmp_path, "commit", "-qm", "empty")
    git(tmp_path, "tag", "before")
    assert ragate(root, "baseline", "update").returncode == 0
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "gate")
    git(tmp_path, "checkout", "-qb", "change")
    answers(root, lost=10)
    (root / "ragate.toml").write_text(CONFIG.replace('"error"', '"warn"'))
    return root


def test_a_loosened_gate_is_red_by_the_rules_of_main(branch: Path) -> None:
    own, mains = ragate(branch, "check"), ragate(branch, "check", "--base", "main")

    assert own.returncode == 3, own.stdout + own.stderr  # nothing is gated any more
    assert mains.returncode == 1, mains.stdout + mains.stderr
    assert "the rules of main decide; this branch has others: [policy.metrics" in mains.stderr
    assert not list(branch.parent.glob("ragate-base-*"))


@pytest.mark.parametrize(
    ("revision", "told"),
    [("nobody", "git knows no such commit"), ("before", "is not in that commit")],
)
def test_a_base_without_rules_is_a_wrong_option(branch: Path, revision: str, told: str) -> None:
    done = ragate(branch, "check", "--base", revision)

    assert done.returncode == 2
    assert told in done.stderr
