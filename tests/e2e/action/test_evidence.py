"""What earlier runs left counts: passes of the same commit, and today's run of the base."""

from __future__ import annotations

import datetime
import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ragate.cli.main import run as ragate
from tests.container.runner import StepResult, run_step
from tests.e2e.action.forge import ROOT, Change, Forge
from tests.e2e.action.talk import judged, say, upload
from tests.servers.github_stub import github_stub

pytestmark = pytest.mark.e2e

SAMPLES = 60
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
claim = "this-set"
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
    assert "earlier passes of this commit: 1, shown beside this run" in second.log
    assert forge.states(change.head)[-1] == "failure"
    (earlier,) = json.loads(_report(forge))["decision"]["earlier"]["runs"]
    assert (earlier["passes"], earlier["failed"]) == (1, True)


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
    assert "earlier passes of this commit: 1, shown beside this run" in second.log
    assert second.exit_code == 1


def night(forge: Forge, drift: float) -> None:
    """Run the base version today, as the nightly workflow does."""
    workspace = forge.checkout(forge.base)
    run_step(
        ROOT,
        workspace=workspace,
        event_name="schedule",
        event={"repository": forge.repository()},
        inputs={"mode": "baseline", "allow-code": "true", "github-token": ""},
        env={"RAG_DRIFT": str(drift)},
        sha=forge.base,
        ref="refs/heads/main",
        api_url=forge.github.url,
        run_id=50,
    )
    forge.github.add_run(50, head_sha=forge.base, event="schedule")
    upload(forge, 50, f"ragate-gate-{forge.base}-1", workspace / ".ragate/result")
    dated(forge, datetime.datetime.now(datetime.UTC))


def dated(forge: Forge, when: datetime.datetime) -> None:
    """Let all artifacts that are there be of one day."""
    for artifact in forge.github.artifacts.values():
        artifact["created_at"] = when.isoformat(timespec="seconds").replace("+00:00", "Z")


def test_drift_that_the_base_shares_today_is_not_blamed_on_the_change(forge: Forge):
    night(forge, drift=0.5)
    change = forge.change({"rag.py": rag() + b"# a comment\n"})

    result = run(forge, change, drift=0.5)

    assert result.exit_code == 0, result.log
    report = json.loads(_report(forge))
    assert any("run today" in warning for warning in report["decision"]["warnings"])


@pytest.mark.parametrize("days", [0, 3])
def test_an_accept_is_held_against_the_control_of_the_verdict_s_day(forge: Forge, days: int):
    night(forge, drift=0.5)
    change = forge.change({"rag.py": rag().replace(b'"doc{number}.md"', b'"lost{number}.md"')})
    assert run(forge, change, drift=0.5).exit_code == 1
    dated(forge, datetime.datetime.now(datetime.UTC) - datetime.timedelta(days=days))

    told = say(forge, f'/ragate accept {change.head[:7]} hit_rate@5 "the pages were renamed"')

    assert told.outputs["verdict"] == "passed", told.log


def _report(forge: Forge) -> str:
    newest = sorted(forge.folder.glob("workspace*"), key=lambda path: path.stat().st_mtime)[-1]
    return (newest / ".ragate/result/report.json").read_text()


def test_a_drop_that_the_base_does_not_share_stays_red(forge: Forge):
    night(forge, drift=0.0)
    change = forge.change({"rag.py": rag(loss=0.5)})

    assert run(forge, change).exit_code == 1


def test_without_a_night_the_drift_is_red(forge: Forge):
    change = forge.change({"rag.py": rag() + b"# a comment\n"})

    assert run(forge, change, drift=0.5).exit_code == 1
