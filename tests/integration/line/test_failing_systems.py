"""A change that fails where it would be wrong: never a pass, whoever says that it was an outage."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from ragate.cli.main import run

pytestmark = pytest.mark.integration

CONFIG = """\
[policy]
dataset = "golden.jsonl"
baseline = "baselines/gate.json"
systems = ["python"]
without_key = "judge-free"
max_minutes = 5

[policy.metrics."recall@5"]
level = "error"

[system]
use = "python"
target = "rag:answer"
"""
RAG = """\
class ProviderError(Exception):
    kind = "provider"


def answer(question):
    number = int(question.split()[-1])
    if number < {bad}:
        return {{"answer": "x", "chunks": [{{"doc_id": "other.md", "text": "x"}}]}}
    if number < {bad} + {err}:
        raise {error}
    return {{"answer": "x", "chunks": [{{"doc_id": f"doc{{number}}.md", "text": "x"}}]}}
"""
OUTAGE = 'ConnectionError("no way")'


class FailingProject:
    """Questions to a function that answers some wrong, and raises for some."""

    def __init__(self, root: Path, samples: int) -> None:
        self.root = root
        (root / "ragate.toml").write_text(CONFIG)
        self.change()
        lines = [
            json.dumps({"id": f"q{n}", "query": f"question {n}", "relevant": {f"doc{n}.md": 1}})
            for n in range(samples)
        ]
        (root / "golden.jsonl").write_text("\n".join(lines) + "\n")
        assert run(["baseline", "update"]) == 0

    def change(self, bad: int = 0, err: int = 0, error: str = OUTAGE) -> None:
        sys.modules.pop("rag", None)
        (self.root / "rag.py").write_text(RAG.format(bad=bad, err=err, error=error))

    @property
    def reasons(self) -> list[str]:
        newest = max((self.root / ".ragate" / "runs").glob("*/report.json"))
        reasons: list[str] = json.loads(newest.read_text())["decision"]["reasons"]
        return reasons


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> FailingProject:
    with pytest.MonkeyPatch.context() as patch:
        root = tmp_path_factory.mktemp("failing")
        patch.chdir(root)
        return FailingProject(root, samples=200)


@pytest.fixture
def project(recorded: FailingProject, monkeypatch: pytest.MonkeyPatch) -> FailingProject:
    monkeypatch.chdir(recorded.root)
    return recorded


@pytest.mark.parametrize(
    ("bad", "err", "code"), [(5, 0, 1), (0, 2, 0), (0, 5, 3), (3, 2, 1), (4, 4, 1)]
)
def test_errors_beside_wrong_answers_do_not_pass(
    project: FailingProject, bad: int, err: int, code: int
):
    project.change(bad, err)

    assert run(["check"]) == code


# Three passes of each question are another matrix of scores: what fails, and what does not.
@pytest.mark.parametrize(("bad", "err", "code"), [(0, 2, 0), (3, 2, 1)])
def test_nor_do_they_in_three_runs(project: FailingProject, bad: int, err: int, code: int):
    project.change(bad, err)

    assert run(["check", "--runs", "3"]) == code


@pytest.mark.parametrize("options", [[], ["--runs", "3"]], ids=["one pass", "three passes"])
@pytest.mark.parametrize(("bad", "err", "code"), [(0, 2, 0), (3, 2, 1)])
def test_nor_do_they_in_two_jobs(
    project: FailingProject, bad: int, err: int, code: int, options: list[str]
):
    project.change(bad, err)

    assert run(["collect", *options, "--save-outputs", "out.jsonl"]) == 0
    assert run(["decide", "out.jsonl"]) == code


def test_a_hopeless_run_ends_early_and_leaves_what_there_is(
    project: FailingProject, capsys: pytest.CaptureFixture[str]
):
    project.change(0, 150)
    capsys.readouterr()

    assert run(["check"]) == 3
    said = capsys.readouterr().err
    assert "11 of 200 questions failed, and at most 10 may: the run ends here" in said
    assert "11 × what the system reads from cannot be reached: ConnectionError: no way" in said

    assert run(["collect", "--save-outputs", "part.jsonl"]) == 3
    assert run(["decide", "part.jsonl"]) == 3
    assert " of 200 questions failed: " in project.reasons[0]


def test_a_shard_ends_once_it_alone_lost_more_than_the_whole_run_may(
    project: FailingProject, capsys: pytest.CaptureFixture[str]
):
    project.change(0, 150)
    capsys.readouterr()

    assert run(["collect", "--shard", "1/2", "--save-outputs", "half1.jsonl"]) == 3
    assert "11 of 200 questions failed, and at most 10 may" in capsys.readouterr().err
    assert len(Path("half1.jsonl").read_text().splitlines()) < 50
    assert run(["collect", "--shard", "2/2", "--save-outputs", "half2.jsonl"]) == 3
    assert run(["decide", "half1.jsonl", "half2.jsonl"]) == 3
    assert " of 200 questions failed: " in project.reasons[0]


@pytest.mark.parametrize("error", ['ProviderError("busy")', 'OSError(110, "timed out")'])
def test_whoever_says_that_it_was_an_outage(project: FailingProject, error: str):
    project.change(4, 4, error)

    assert run(["check"]) in (1, 3)


def test_too_many_failed_questions_are_never_green(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.chdir(tmp_path)
    few = FailingProject(tmp_path, samples=12)
    few.change(0, 4, 'MemoryError("no more")')
    capsys.readouterr()

    assert run(["check"]) == 3
    assert "4 of 12 questions failed: MemoryError: no more" in capsys.readouterr().out
    assert few.reasons[0].startswith("4 of 12 questions failed: MemoryError: no more (rag.py:")

    few.change(8, 4, 'MemoryError("no more")')
    assert run(["check"]) == 1
    assert few.reasons[0].startswith("4 of 12 questions failed: MemoryError: no more (rag.py:")
