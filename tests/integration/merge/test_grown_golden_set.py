"""A gate on a baseline whose two sides each changed the golden set under idf_f1."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from ragate.baseline import merge_baselines
from ragate.cli.main import run
from ragate.config import load_config
from ragate.pipeline.decide.gate_setup import load_baseline_or_none
from tests.projects import ReplayProject, right

pytestmark = pytest.mark.integration

IDF = '[policy.metrics.idf_f1]\nlevel = "error"'
Edit = Callable[[dict[str, dict[str, Any]]], object]


def added(number: int, reference: str) -> Edit:
    return lambda rows: rows.update({f"q{number}": question(number, reference)})


def question(number: int, reference: str) -> dict[str, Any]:
    relevant = {f"doc{number}.md": 1}
    return {
        "id": f"q{number}",
        "query": f"What is {number}?",
        "relevant": relevant,
        "references": [reference],
    }


SIDES: dict[str, tuple[Edit, Edit]] = {
    "grown on one side": (added(20, "The value of twenty"), lambda rows: None),
    "grown on both": (added(20, "The value of twenty apples"), added(21, "apples of value")),
    "one removed": (added(20, "The value of twenty apples"), lambda rows: rows.pop("q3")),
    "one edited": (
        added(20, "The value of twenty apples"),
        lambda rows: rows["q4"].update(references=["Four apples of some value"]),
    ),
}


class Branches:
    """A project with a baseline on each of two branches, put together."""

    def __init__(self, root: Path, *, policy: str = "") -> None:
        self.project = ReplayProject(root, samples=22, policy=policy, metrics=IDF)
        self.project.record(vague)
        self.golden, self.file = root / "golden.jsonl", root / "baselines/gate.json"
        lines = self.golden.read_text().splitlines()[:20]
        self.before = {row["id"]: row for row in map(json.loads, lines)}

    def merge(self, ours: Edit, theirs: Edit) -> None:
        """Write the merged baseline, and the merged golden set beside it."""
        files = []
        for edits in ((), (ours,), (theirs,)):
            self.write(*edits)
            self.file.unlink(missing_ok=True)
            assert run(["baseline", "update"]) == 0
            files.append(self.file.read_bytes())
        self.write(ours, theirs)
        self.file.write_bytes(merge_baselines(*files, name="gate.json").content)

    def write(self, *edits: Edit) -> None:
        rows = json.loads(json.dumps(self.before))
        for edit in edits:
            edit(rows)
        self.golden.write_text("".join(f"{json.dumps(row)}\n" for row in rows.values()))

    def loaded(self) -> Any:
        config = load_config(self.project.root / "ragate.toml")
        baseline = load_baseline_or_none(config)
        assert baseline is not None
        return baseline


def vague(number: int, run_number: int) -> Mapping[str, Any]:
    return {**right(number, run_number), "answer": f"Some apples, {number} or {number % 4}."}


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("sides", SIDES.values(), ids=list(SIDES))
def test_it_is_compared_with_what_a_recording_of_the_merged_tree_holds(
    root: Path, sides: tuple[Edit, Edit]
) -> None:
    branches = Branches(root)
    branches.merge(*sides)
    merged = branches.loaded()

    assert run(["check"]) == 0
    rows = {row["metric"]: row for row in branches.project.report()["decision"]["metrics"]}
    assert rows["idf_f1"]["baseline"] == rows["idf_f1"]["candidate"]
    assert run(["baseline", "update", "--force"]) == 0
    fresh = branches.loaded()

    assert merged.manifest.states == fresh.manifest.states
    assert merged.manifest.metrics == fresh.manifest.metrics
    assert {(r.sample_id, r.run): r.scores for r in merged.records} == {
        (r.sample_id, r.run): r.scores for r in fresh.records
    }


def test_a_drop_under_it_is_red(root: Path) -> None:
    branches = Branches(root)
    branches.merge(*SIDES["grown on both"])
    branches.project.record(lambda n, r: {**right(n, r), "answer": "Pears."})

    assert run(["check"]) == 1
    rows = {row["metric"]: row for row in branches.project.report()["decision"]["metrics"]}
    assert rows["idf_f1"]["verdict"] == "regressed"


def test_a_question_that_a_change_adds_shifts_no_score(root: Path) -> None:
    branches = Branches(root)
    branches.merge(*SIDES["one removed"])
    merged = branches.loaded()
    branches.write(*SIDES["one removed"], added(21, "apples apples and some apples"))

    assert branches.loaded().manifest.states == merged.manifest.states


def test_a_stored_run_is_compared_by_the_words_that_it_was_scored_with(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    branches = Branches(root)
    branches.merge(*SIDES["grown on both"])
    assert run(["check"]) == 0
    branches.write(*SIDES["grown on both"], lambda rows: rows.pop("q5"))
    capsys.readouterr()

    assert run(["compare", "baselines/gate.json", "latest", "--format", "json"]) == 0

    rows = json.loads(capsys.readouterr().out)["decision"]["metrics"]
    (row,) = [each for each in rows if each["metric"] == "idf_f1"]
    assert (row["baseline"], row["change"]) == (row["candidate"], 0.0)


def test_doctor_finds_nothing_missing_where_answers_tell_it(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    branches = Branches(root)
    branches.merge(*SIDES["grown on both"])
    capsys.readouterr()

    run(["doctor"])

    assert "does not hold idf_f1" not in capsys.readouterr().out


def test_without_answers_it_is_no_decision_until_the_baseline_is_recorded(
    root: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    branches = Branches(root, policy='store = "hashes"')
    branches.merge(*SIDES["grown on both"])

    assert run(["check"]) == 3

    decision = branches.project.report()["decision"]
    assert any("a merge left idf_f1 out of the baseline" in why for why in decision["reasons"])
    assert "ragate baseline update" in decision["remedies"]
    assert any(w.endswith("left out by the merge: idf_f1") for w in decision["warnings"])
    capsys.readouterr()
    assert run(["baseline", "show"]) == 0
    assert "unmeasured: idf_f1" in capsys.readouterr().out
    assert run(["baseline", "update"]) == 0
    assert run(["check"]) == 0
