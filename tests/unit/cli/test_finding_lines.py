"""Lines of findings: in the configuration, in the golden set, and none where a file tells none."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ragate.cli.main import run as ragate
from ragate.cli.shown_report import with_lines
from ragate.config import load_config
from ragate.models import SourceLines
from tests.factories import report_factory, sample_row_factory
from tests.projects import ReplayProject, right
from tests.unit.cli.test_shown_report import git

WRONG = {"answer": "No idea.", "chunks": [{"doc_id": "other.md", "text": "Something else."}]}
SLICES = """
token_f1.pass_at = 0.5  # [policy.metrics.mrr]
[[policy.slices]]
name = "first"
tags = ["a"]
[[ policy . slices ]] # the second
name = "second"
tags = ["b"]
"""


def lines_of(root: Path, *ids: str) -> SourceLines:
    report = report_factory(samples=tuple(map(sample_row_factory, ids)))
    lines = with_lines(report, load_config(root / "ragate.toml"), ci=False).lines
    assert lines is not None
    return lines


def of_file(path: Path, text: str) -> int:
    """Return the line that a text stands on, once."""
    (line,) = [n for n, each in enumerate(path.read_text().splitlines(), 1) if text in each]
    return line


def test_metrics_and_slices_have_the_lines_of_their_tables(tmp_path: Path) -> None:
    project = ReplayProject(tmp_path, samples=3)
    project.configure(metrics=SLICES.replace("token_f1.pass_at", "pass_at"))
    config = tmp_path / "ragate.toml"
    lines = lines_of(tmp_path)

    assert lines.metrics == {
        "hit_rate@5": of_file(config, '"hit_rate@5"]'),
        "token_f1": of_file(config, "[policy.metrics.token_f1]"),
    }
    assert lines.slices == {
        "first": of_file(config, "[[policy.slices]]"),
        "second": of_file(config, "[[ policy . slices ]]"),
    }


def test_a_sample_has_its_line_and_the_path_from_the_repositorys_top(tmp_path: Path) -> None:
    (tmp_path / "rag").mkdir()
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    ReplayProject(tmp_path / "rag", samples=4)
    lines = lines_of(tmp_path / "rag", "q2", "gone")

    assert lines.config == "rag/ragate.toml"
    assert lines.samples == {"q2": ("rag/golden.jsonl", 3), "gone": ("rag/golden.jsonl", None)}


def test_a_golden_set_that_cannot_be_read_any_more_loses_the_lines_only(tmp_path: Path) -> None:
    ReplayProject(tmp_path, samples=4)
    (tmp_path / "golden.jsonl").write_text("{")

    assert lines_of(tmp_path, "q2").samples == {"q2": ("golden.jsonl", None)}


@pytest.fixture
def broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ReplayProject:
    """A branch that changed a setting of the system, whose answers are wrong."""
    project = ReplayProject(tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CI", raising=False)
    (tmp_path / ".gitignore").write_text(".ragate\n")
    assert ragate(["baseline", "update", "--runs", "2"]) == 0
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "-m", "base")
    git(tmp_path, "checkout", "--quiet", "-b", "change")
    config = tmp_path / "ragate.toml"
    text = config.read_text().replace('\npaths = ["outputs/*', '\npaths = ["outputs/run0*')
    config.write_text(text)
    project.record(lambda number, run: WRONG if number < 20 else right(number, run))
    return project


def written(path: Path) -> dict[str, Any]:
    (run,) = json.loads(path.read_text())["runs"]
    return dict(run)


def line(place: dict[str, Any]) -> tuple[str, int]:
    physical = place["physicalLocation"]
    return physical["artifactLocation"]["uri"], physical["region"]["startLine"]


def test_check_decide_and_report_write_the_same_findings_at_their_lines(
    broken: ReplayProject,
) -> None:
    to = ["--format", "sarif", "--output"]
    assert ragate(["check", *to, "check.sarif"]) == 1
    assert ragate(["report", "latest", *to, "report.sarif"]) == 1
    assert ragate(["decide", "outputs/run0.jsonl", *to, "decide.sarif"]) == 1
    runs = [written(broken.root / f"{name}.sarif") for name in ("check", "report", "decide")]

    assert runs[0]["results"] == runs[1]["results"]
    config = broken.root / "ragate.toml"
    for run in runs:
        first = next(
            each for each in run["results"] if each["message"]["text"].find("hit_rate") > 0
        )
        assert first["level"] == "error"
        assert line(first["locations"][0]) == ("ragate.toml", of_file(config, "run0"))
        related = [line(each) for each in first["relatedLocations"]]
        assert related == [("ragate.toml", of_file(config, '"hit_rate@5"]'))]
        samples = [each for each in run["results"] if each["ruleId"] == "sample-worse"]
        assert len(samples) == 20
        assert {line(each["locations"][0]) for each in samples} == {
            ("golden.jsonl", number) for number in range(1, 21)
        }


def test_in_ci_the_file_holds_what_the_policy_publishes(
    broken: ReplayProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    config = broken.root / "ragate.toml"
    config.write_text(config.read_text().replace("[policy]\n", '[policy]\npublish = "ids"\n'))
    broken.record(lambda number, run: {**right(number, run), "answer": "No idea."})
    here = ["check", "--format", "sarif", "--output", "whole.sarif"]
    assert ragate(here) == 1
    assert "No idea" in (broken.root / "whole.sarif").read_text()

    monkeypatch.setenv("CI", "1")
    assert ragate([*here[:-1], "kept.sarif"]) == 1
    assert "No idea" not in (broken.root / "kept.sarif").read_text()


def test_collect_has_no_findings(broken: ReplayProject) -> None:
    assert ragate(["collect", "--format", "sarif"]) == 2
