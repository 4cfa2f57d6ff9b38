"""Systems that are declared to repeat, from the recording to the verdict."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from ragate.cli.main import run

pytestmark = pytest.mark.integration

CONFIG = """\
[policy]
dataset = "golden.jsonl"
baseline = "baseline.json"
systems = ["command", "python"]
{repeats}

[policy.metrics.number_recall]
[policy.metrics.token_f1]

[system]
{system}
"""
PYTHON = 'use = "python"\ntarget = "answers_of_a_test:answer"'
COMMAND = f"use = \"command\"\ncommand = ['{sys.executable}', 'serve.py']"
CODE = """\
import json
from pathlib import Path

HERE = Path(__file__).parent

def answer(query):
    found = json.loads((HERE / "answers.json").read_text())
    asked = HERE / "asked.txt"
    with asked.open("a") as file:
        file.write(query + "\\n")
    told = found[query]
    if isinstance(told, list):
        told = told[(asked.read_text().count(query + "\\n") - 1) % len(told)]
    return {"answer": told, "contexts": ["The prices of all years."]}
"""
SERVE = """\
import json, os, sys
from answers_of_a_test import answer
with open("sessions.txt", "a") as file:
    file.write(f"{os.getpid()}\\n")
for line in sys.stdin:
    asked = json.loads(line)
    print(json.dumps({"id": asked["id"], **answer(asked["query"])}), flush=True)
"""


class Project:
    """Sixteen questions on prices, answered from a file."""

    def __init__(self, root: Path) -> None:
        self.root = root
        rows: list[dict[str, Any]] = []
        for number in range(16):
            said = f"The price of item {number} was {100 + number} euros."
            question = f"What was the price of item {number}?"
            rows.append({"id": f"q{number:02}", "query": question, "references": [said]})
        (root / "golden.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        self.right = {row["query"]: row["references"][0] for row in rows}
        (root / "answers_of_a_test.py").write_text(CODE)
        (root / "serve.py").write_text(SERVE)

    def configure(self, repeats: str = "", system: str = PYTHON) -> None:
        (self.root / "ragate.toml").write_text(CONFIG.format(repeats=repeats, system=system))

    def answer(self, **changed: Any) -> None:
        """Answer rightly, but for the items `changed` (``_3="…"``)."""
        answers: dict[str, Any] = dict(self.right)
        for item, said in changed.items():
            answers[f"What was the price of item {item[1:]}?"] = said
        (self.root / "answers.json").write_text(json.dumps(answers))

    def asked(self) -> list[str]:
        """Return the questions since the last look."""
        path = self.root / "asked.txt"
        found = path.read_text().splitlines() if path.exists() else []
        path.unlink(missing_ok=True)
        return found

    def decision(self) -> dict[str, Any]:
        newest = max((self.root / ".ragate" / "runs").glob("*/report.json"))
        found: dict[str, Any] = json.loads(newest.read_text())["decision"]
        return found


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    for name in ("RAGATE_CONFIG", "RAGATE_STATE_DIR", "RAGATE_DATABASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "answers_of_a_test", raising=False)
    made = Project(tmp_path)
    made.answer()
    return made


WRONG = {f"_{number}": f"The price of item {number} was 7 euros." for number in (1, 5, 9, 13)}
DECLARED = 'repeats = ["retrieval", "answer"]'


def test_four_wrong_numbers_in_sixteen_answers_of_a_system_that_repeats_are_red(project):
    project.configure(DECLARED)
    assert run(["baseline", "update"]) == 0
    project.answer(**WRONG)

    assert run(["check"]) == 1
    assert any("number_recall fell by 0.125" in line for line in project.decision()["reasons"])


def test_where_it_is_not_declared_the_report_names_the_key(project, capsys):
    project.configure()
    assert run(["baseline", "update"]) == 0
    project.answer(**WRONG)

    run(["check"])

    assert '[policy] repeats = ["answer"]' in " ".join(capsys.readouterr().out.split())


def test_only_changed_samples_are_asked_again_until_there_are_three_passes(project):
    project.configure(DECLARED)
    assert run(["baseline", "update"]) == 0
    project.asked()
    project.answer(**WRONG)

    run(["check"])
    asked = project.asked()

    assert len(asked) == 16 + 2 * 4
    assert asked.count("What was the price of item 5?") == 3
    assert asked.count("What was the price of item 6?") == 1


def test_collect_asks_them_again_as_well(project):
    project.configure(DECLARED)
    assert run(["baseline", "update"]) == 0
    project.asked()
    project.answer(**WRONG)

    assert run(["collect"]) == 0
    assert len(project.asked()) == 16 + 2 * 4
    assert run(["decide"]) == 1


def test_a_candidate_that_no_longer_repeats_is_yellow_and_named(project):
    project.configure(DECLARED)
    assert run(["baseline", "update"]) == 0
    project.asked()
    jitter = [f"The price of item 3 was {number} euros." for number in (7, 103, 8)]
    project.answer(_3=jitter)

    assert run(["check"]) == 0

    decision = project.decision()
    verdicts = {row["metric"]: row["verdict"] for row in decision["metrics"]}
    assert verdicts["number_recall"] == "cannot_tell"
    assert any("no longer repeats its answer: 1 sample" in line for line in decision["warnings"])
    assert any("q03" in line for line in decision["warnings"])


def test_the_passes_of_a_baseline_come_from_three_processes(project):
    project.configure(DECLARED, COMMAND)
    assert run(["baseline", "update"]) == 0
    assert len(set((project.root / "sessions.txt").read_text().split())) == 3


def test_without_the_declaration_one_process_gives_them_all(project):
    project.configure("", COMMAND)
    assert run(["baseline", "update"]) == 0
    assert len(set((project.root / "sessions.txt").read_text().split())) == 1


def test_an_unchanged_system_that_repeats_is_asked_once_and_unchanged(project):
    project.configure(DECLARED)
    assert run(["baseline", "update"]) == 0
    project.asked()

    assert run(["check"]) == 0
    assert len(project.asked()) == 16
    assert {row["verdict"] for row in project.decision()["metrics"]} == {"unchanged"}


def test_power_calls_noise_assumed_where_byte_equal_runs_showed_none(project, capsys):
    project.configure()
    assert run(["baseline", "update"]) == 0
    capsys.readouterr()

    assert run(["power"]) == 0
    undeclared = capsys.readouterr().out
    project.configure(DECLARED)
    assert run(["power"]) == 0
    declared = capsys.readouterr().out

    assert "noise assumed: 0.05" in undeclared
    assert "noise measured" not in undeclared + declared
    assert "every drop above 0.031" in declared


def test_a_check_with_retrieval_only_asks_no_answer_again(project):
    project.configure(DECLARED)
    assert run(["baseline", "update"]) == 0
    project.asked()

    run(["check", "--retrieval-only"])
    assert len(project.asked()) == 16
