"""A baseline's recording that was killed goes on where it stopped, in the very same state only."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ragate.cli.main import run
from tests.e2e.command import ragate
from tests.repositories import commit, git

pytestmark = pytest.mark.integration

SAMPLES, RUNS, CONCURRENCY = 20, 2, 2
RAG = """
import os, signal
from pathlib import Path

HERE = Path(__file__).parent
ASKED = HERE / ".ragate" / "asked"

def answer(query):
    with ASKED.open("a") as file:
        file.write(query + "\\n")
    number = len(ASKED.read_text().splitlines())
    if 0 < int(os.environ.get("KILL_AT", "0")) <= number:
        reaper = Path(f"/proc/{os.getppid()}/stat").read_text()
        os.kill(int(reaper.rpartition(")")[2].split()[1]), signal.SIGKILL)
    return f"It is so, the {number}. time."
"""
CONFIG = f"""
[policy]
dataset = "golden.jsonl"
baseline = "b.json"
systems = ["python"]
runs = {RUNS}
[policy.metrics.token_f1]
[system]
use = "python"
target = "rag:answer"
"""


def write(root: Path) -> Path:
    (root / ".ragate").mkdir(parents=True)
    git(root, "init", "-q")
    (root / ".gitignore").write_text(".ragate/\n__pycache__/\n")
    (root / "ragate.toml").write_text(CONFIG)
    (root / "rag.py").write_text(RAG)
    rows = [
        {"id": f"q{n}", "query": f"What is {n}?", "references": [f"It is {n}."]}
        for n in range(SAMPLES)
    ]
    (root / "golden.jsonl").write_text("\n".join(map(json.dumps, rows)))
    commit(root, "base")
    return root


@pytest.fixture(scope="module")
def broken_off(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose recording was killed in its first pass, to be copied."""
    root = write(tmp_path_factory.mktemp("broken_off") / "project")
    assert update(root, kill_at=15).returncode == -9
    return root


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return write(tmp_path / "project")


@pytest.fixture
def begun(tmp_path: Path, broken_off: Path) -> Path:
    return shutil.copytree(broken_off, tmp_path / "begun")


def update(root: Path, *, kill_at: int = 0) -> subprocess.CompletedProcess[str]:
    variables = {"KILL_AT": str(kill_at), "RAGATE_CONCURRENCY": str(CONCURRENCY)}
    return ragate(root, "baseline", "update", env=variables)


def asked(root: Path) -> int:
    return len((root / ".ragate" / "asked").read_text().splitlines())


def test_only_what_was_in_flight_is_asked_again(begun: Path):
    assert update(begun, kill_at=37).returncode == -9  # in the second pass

    done = update(begun)

    assert done.returncode == 0, done.stderr
    assert "answers of the recording that was interrupted are kept" in done.stderr
    assert SAMPLES * RUNS <= asked(begun) <= SAMPLES * RUNS + 2 * CONCURRENCY
    baseline = json.loads((begun / "b.json").read_text())
    assert all(len(sample["runs"]) == RUNS for sample in baseline["samples"].values())


def test_the_answers_that_are_kept_are_those_that_were_given(project: Path):
    update(project, kill_at=SAMPLES + 5)
    (newest,) = (project / ".ragate" / "runs").glob("*/outputs.jsonl")
    rows = [json.loads(line) for line in newest.read_text().splitlines()[1:]]

    update(project)

    samples = json.loads((project / "b.json").read_text())["samples"]
    for row in rows:
        sample = samples[row["id"]]
        assert sample["outputs"][sample["runs"][row["run"]]]["answer"] == row["answer"]


def change_the_code(root: Path) -> None:
    (root / "rag.py").write_text(RAG + "# changed\n")


def commit_a_change(root: Path) -> None:
    change_the_code(root)
    commit(root, "change")


def commit_another_policy(root: Path) -> None:
    (root / "ragate.toml").write_text(CONFIG.replace("[policy]", "[policy]\nalpha = 0.04"))
    commit(root, "policy")


def commit_another_question(root: Path) -> None:
    path = root / "golden.jsonl"
    path.write_text(path.read_text().replace("What is 3?", "And what is 3?"))
    commit(root, "golden set")


def age(root: Path) -> None:
    (path,) = (root / ".ragate" / "runs").glob("*/outputs.jsonl")
    then = time.time() - 25 * 3600
    os.utime(path, (then, then))


@pytest.mark.parametrize(
    "change",
    [change_the_code, commit_a_change, commit_another_policy, commit_another_question, age],
)
def test_another_state_is_asked_anew(begun: Path, change):
    change(begun)
    before = asked(begun)

    assert update(begun).returncode == 0

    assert asked(begun) - before == SAMPLES * RUNS


def test_changes_that_were_there_all_along_are_no_state_to_go_on_with(project: Path):
    change_the_code(project)
    update(project, kill_at=15)
    before = asked(project)

    assert update(project).returncode == 0

    assert asked(project) - before == SAMPLES * RUNS


def test_a_recording_that_came_to_its_end_is_not_taken_over(project: Path):
    assert update(project).returncode == 0
    (project / "b.json").unlink()

    assert update(project).returncode == 0

    assert asked(project) == 2 * SAMPLES * RUNS


def test_a_mark_that_cannot_be_read_begins_a_new_recording(project: Path, monkeypatch):
    (project / ".ragate" / "recording").write_bytes(b"\xff\xfe")
    monkeypatch.chdir(project)
    monkeypatch.syspath_prepend(str(project))
    monkeypatch.delitem(sys.modules, "rag", raising=False)

    assert run(["baseline", "update"]) == 0

    assert asked(project) == SAMPLES * RUNS
