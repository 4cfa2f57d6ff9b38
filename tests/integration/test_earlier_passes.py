"""Running the same commit again adds evidence: nobody gets a new draw until it is green."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from ragate.cli.main import run
from tests.repositories import commit, git

pytestmark = pytest.mark.integration

SYSTEM = """
import random
from contextlib import asynccontextmanager
from ragate.models import RetrievedChunk, SystemInfo, SystemOutput

# Chance with a fixed seed: a test of luck must not depend on it.
CHANCE = random.Random(7)
SHARE = 0.0
IDENTIFIES = True

class Noisy:
    info = SystemInfo(use="noisy_system:create")
    max_runs = None
    identifies_state = IDENTIFIES
    async def prepare(self, *, rebuild=False): pass
    async def documents(self): return None
    async def answer(self, sample, *, run=0):
        right = CHANCE.random() >= SHARE
        answer = sample.references[0] if right else "No idea at all."
        return SystemOutput(chunks=(RetrievedChunk(doc_id="a.md"),), answer=answer)

@asynccontextmanager
async def create(settings, resources):
    yield Noisy()
"""
CONFIG = """
[policy]
dataset = "golden.jsonl"
baseline = "b.json"
systems = ["noisy_system:create"]
[policy.metrics.token_f1]
[system]
use = "noisy_system:create"
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delitem(sys.modules, "noisy_system", raising=False)
    root = tmp_path / "project"
    root.mkdir()
    monkeypatch.chdir(root)
    monkeypatch.syspath_prepend(str(root))
    git(root, "init", "-q")
    (root / ".gitignore").write_text(".ragate/\n__pycache__/\n")
    (root / "ragate.toml").write_text(CONFIG)
    lines = [
        {"id": f"q{n}", "query": f"What is {n}?", "references": [f"It is number {n}."]}
        for n in range(60)
    ]
    (root / "golden.jsonl").write_text("\n".join(map(json.dumps, lines)))
    (root / "noisy_system.py").write_text(SYSTEM)
    commit(root, "base")
    assert run(["baseline", "update"]) == 0
    commit(root, "baseline")
    return root


def broken(root: Path) -> None:
    import noisy_system  # type: ignore[import-not-found]

    noisy_system.SHARE = 0.4
    (root / "change.txt").write_text("a change")
    commit(root, "a change that breaks answers")


def decision(root: Path) -> dict[str, object]:
    newest = max((root / ".ragate" / "runs").glob("*/report.json"))
    found: dict[str, object] = json.loads(newest.read_text())["decision"]
    return found


def test_a_red_commit_stays_red_when_it_is_run_again_and_its_runs_add_up(project: Path):
    broken(project)
    assert run(["check"]) == 1
    first = decision(project)["runs_candidate"]

    for number in (1, 2):
        assert run(["check"]) == 1
        assert decision(project)["runs_candidate"] == int(str(first)) + number


def test_a_lucky_draw_does_not_turn_a_red_commit_green(project: Path):
    broken(project)
    assert run(["check"]) == 1
    import noisy_system

    noisy_system.SHARE = 0.0  # the next draw is as good as can be

    assert run(["check"]) == 1


def test_a_system_that_does_not_identify_its_state_is_judged_by_its_newest_run(
    project: Path, capsys: pytest.CaptureFixture[str]
):
    source = project / "noisy_system.py"
    source.write_text(source.read_text().replace("IDENTIFIES = True", "IDENTIFIES = False"))
    sys.modules.pop("noisy_system", None)
    broken(project)
    assert run(["check"]) == 1
    import noisy_system

    noisy_system.SHARE = 0.0

    assert run(["check"]) == 0
    assert "this verdict is of new answers" in " ".join(capsys.readouterr().out.split())


def test_another_commit_starts_with_no_evidence(project: Path):
    broken(project)
    run(["check"])
    import noisy_system

    noisy_system.SHARE = 0.0
    (project / "change.txt").write_text("mended")
    commit(project, "mended")

    assert run(["check"]) == 0
    assert decision(project)["runs_candidate"] == 1


def test_uncommitted_changes_are_a_state_of_their_own(project: Path):
    run(["check"])
    (project / "draft.txt").write_text("not committed")

    run(["check"])

    assert decision(project)["runs_candidate"] == 1
