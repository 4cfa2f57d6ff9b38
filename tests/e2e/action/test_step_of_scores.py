"""Our step behind an evaluator's: it judges the file that the evaluator wrote before it."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from benchmarks.evaluator_workflows import WORKFLOWS, codes, project, step
from tests.e2e.action.forge import ROOT, Forge
from tests.night import by_night
from tests.servers.github_stub import github_stub
from tests.unit.scores.ways_not_to_run import harmless
from tests.unit.scores.written_by_tools import WRITERS, evaluated

pytestmark = pytest.mark.e2e
ACTION = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))


@pytest.mark.parametrize("number", [0, pytest.param(5, marks=by_night)])
def test_the_step_judges_what_the_evaluator_wrote(number: int, tmp_path: Path) -> None:
    # As before, a third of the answers broken, the judge was out, no file.
    assert codes(WORKFLOWS[number], tmp_path) == [0, 1, 3, 2]


def test_a_change_of_the_evaluators_files_is_no_decision_where_main_names_them(
    tmp_path: Path,
) -> None:
    name, write = WRITERS["plain csv"]
    content = write(evaluated())
    files = project(tmp_path / "main", name, content, ["faithfulness", "answer_relevancy"])
    text = files["ragate.toml"].decode()
    named = text.replace("scores_paths", 'scores_measured_by = ["evals/**"]\nscores_paths')
    with github_stub(tmp_path / "github") as github:
        forge = Forge(github, tmp_path)
        forge.start({**files, "ragate.toml": named.encode(), "evals/judge.py": b"strict"})
        for number, (edited, code) in enumerate([("rag.py", 0), ("evals/judge.py", 3)], start=1):
            change = forge.change({edited: b"lenient"}, number=number)
            workspace = forge.checkout(change.merge)
            (workspace / "out").mkdir()
            (workspace / "out" / name).write_bytes(write(harmless(evaluated())))
            result = forge.check(change, workspace=workspace, inputs={"gate": "scores"})

            assert result.exit_code == code
    assert "edits what measures it" in forge.comment(2)


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda one: one.repository)
def test_a_public_workflow_takes_at_most_eight_lines(workflow) -> None:
    evaluator, ours = yaml.safe_load(step(workflow))

    assert step(workflow).count("\n") <= 8
    assert set(evaluator) == {"run"}
    assert ours["with"].keys() <= ACTION["inputs"].keys()


def test_the_manual_shows_the_same_step() -> None:
    page = (ROOT / "docs/scores.md").read_text("utf-8")
    block = page.split("```yaml\n")[1].split("```")[0]
    evaluator, ours = yaml.safe_load(block)

    assert block.count("\n") <= 8
    assert set(evaluator) == {"run"}
    assert ours == yaml.safe_load(step(WORKFLOWS[0]))[1]
