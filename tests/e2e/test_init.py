"""From an empty repository with a few pages to a verdict, with the installed command."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from ragate.config import load_config
from tests.e2e import command
from tests.night import by_night

RAGATE = Path(sys.executable).parent / "ragate"
PAGES = {
    "docs/refunds.md": "# Refunds\n\nRefunds are possible for 30 days.\n\n## Late refunds\n\nNo.\n",
    "docs/shipping.md": "# Shipping\n\nWe ship to Europe.\n\n## Customs duties\n\nYou pay them.\n",
    "docs/vat.md": "# Value added tax\n\nValue added tax is added to every price.\n",
}

pytestmark = pytest.mark.e2e


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name, text in PAGES.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    return tmp_path


def ragate(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return command.ragate(folder, *arguments, env={"CI": "1", "NO_COLOR": "1"})


@by_night  # by day the first hour does so, and the tutorial
def test_what_init_writes_can_be_recorded_and_checked_at_once(project: Path) -> None:
    assert ragate(project, "init", "--yes").returncode == 0
    before = ragate(project, "doctor")
    recorded = ragate(project, "baseline", "update", "--runs", "1")
    checked = ragate(project, "check")
    after = ragate(project, "doctor", "--format", "json")

    assert before.returncode == 3, before.stdout + before.stderr
    assert "there is no baseline yet" in before.stdout
    assert recorded.returncode == 0, recorded.stderr
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert after.returncode == 0, after.stdout + after.stderr
    checks = {one["check"]: one for one in json.loads(after.stdout)["checks"]}
    assert "3 documents" in checks["expected documents"]["message"]
    assert checks["expected documents"]["status"] == "ok"


def test_init_changes_no_file_that_is_there(project: Path) -> None:
    mine = {
        "ragate.toml": "# mine",
        ".github/workflows/ragate.yml": "# mine",
        ".gitignore": "dist/\n.ragate/\n",
    }
    for name, text in mine.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(text)

    done = ragate(project, "init", "--yes")

    assert done.returncode == 0, done.stderr
    assert "ragate.toml: there already" in done.stdout
    assert ".github/workflows/ragate.yml: there already" in done.stdout
    assert {name: (project / name).read_text() for name in mine} == mine
    assert not (project / "evals").exists()


def test_init_in_an_empty_folder_writes_nothing_and_ends_with_2(tmp_path: Path) -> None:
    done = ragate(tmp_path, "init", "--yes")

    assert done.returncode == 2
    assert "docs/" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_in_a_terminal_two_questions_are_asked(project: Path) -> None:
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [str(RAGATE), "init"], cwd=project, stdin=theirs, stdout=theirs, stderr=theirs
    ) as command:
        os.close(theirs)
        os.write(ours, b"6\ndocs\n")
        shown = read_all(ours)
        assert command.wait(timeout=60) == 0, shown
    os.close(ours)

    assert "What do you have?" in shown
    answer = load_config(project / "ragate.toml").system.settings["answer"]
    assert answer["use"] == "extractive"


RAG = """
def answer(question):
    return {"answer": "Yes.", "chunks": [{"doc_id": "docs/refunds.md", "text": "Refunds."}]}
"""


def in_terminal(project: Path, typed: bytes) -> str:
    ours, theirs = pty.openpty()
    environment = {key: value for key, value in os.environ.items() if key != "CI"}
    with subprocess.Popen(
        [str(RAGATE), "init"],
        cwd=project,
        env={**environment, "COLUMNS": "400"},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    ) as command:
        os.close(theirs)
        os.write(ours, typed)
        shown = read_all(ours)
        assert command.wait(timeout=120) == 0, shown
    os.close(ours)
    return shown.replace("\r\n", "\n")


def test_in_a_terminal_the_system_is_chosen_asked_and_corrected(project: Path) -> None:
    (project / "rag.py").write_text(RAG)

    shown = in_terminal(project, b"\n\ny\nwrong\ncitations=none\n\n")

    assert "[answer() in rag.py:2]" in shown
    assert "an import of ragate_rag:answer by " in shown
    assert shown.index("an import of ragate_rag:answer") < shown.index("Run it [y/N]")
    assert "documents   /chunks/*/doc_id  1: docs/refunds.md (100% known: docs/" in shown
    assert "write part=/pointer" in shown
    config = load_config(project / "ragate.toml")
    assert config.system.settings["target"] == "ragate_rag:answer"
    assert '"docs/refunds.md": 1' in (project / "evals/golden.jsonl").read_text()


def test_an_empty_line_is_no_consent(project: Path) -> None:
    (project / "rag.py").write_text(f"open('ran', 'w')\n{RAG}")

    shown = in_terminal(project, b"\n\n\n")

    assert "It was not asked" in shown
    assert not (project / "ran").exists()
    assert shown.rstrip().splitlines()[-3].lstrip().startswith("ragate doctor --ask")


def test_with_yes_nothing_of_the_project_is_run(project: Path) -> None:
    (project / "rag.py").write_text(f"open('ran', 'w')\n{RAG}")

    done = ragate(project, "init", "--yes")

    assert "Gated is answer() of ragate_rag.py" in done.stdout
    assert (
        "from rag import answer as its_answer  # rag.py:3"
        in (project / "ragate_rag.py").read_text()
    )
    assert not (project / "ran").exists()
    words = [line.split("  ")[1] for line in done.stdout.rstrip().splitlines()[-3:]]
    assert words == ["ragate doctor --ask", "ragate baseline update", "ragate check"]


def test_in_ci_nothing_is_asked_whoever_says_so(project: Path) -> None:
    (project / "rag.py").write_text(f"open('ran', 'w')\n{RAG}")

    done = ragate(project, "init", "--yes", "--ask")

    assert done.returncode == 2
    assert "init starts nothing of a checkout in CI" in done.stderr
    assert not (project / "ran").exists()


def read_all(terminal: int) -> str:
    parts = []
    while True:
        try:
            part = os.read(terminal, 4096)
        except OSError:  # the other side is closed
            break
        if not part:
            break
        parts.append(part)
    return b"".join(parts).decode()
