"""Odd inputs through the command: each ends with a defined verdict and a sentence that says why."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from ragate.cli.main import run
from tests.projects import ReplayProject, right

pytestmark = pytest.mark.integration

PLUGIN = """
from ragate.models import MetricInfo, Score

class Odd:
    state = {{}}
    def __init__(self, name):
        self.info = MetricInfo(name=name)
    def score_samples(self, pairs):
        bad = any("candidate" in (output.answer or "") for _, output in pairs)
        return [Score(metric=self.info.name, value={after} if bad else {before}) for _ in pairs]

"""
ENTRY = """
def create(request):
    return Odd(request.name)
"""
ODD = '[policy.metrics."odd_metric:create"]\nlevel = "error"\n'


@pytest.fixture(autouse=True)
def clean(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RAGATE_DATABASE_URL", raising=False)
    monkeypatch.chdir(tmp_path)


def changed(number: int, _run: int) -> dict[str, Any]:
    found = right(number, 0)
    return {**found, "answer": f"{found['answer']} So says the candidate."}


def decided(project: ReplayProject) -> dict[str, Any]:
    found: dict[str, Any] = project.report()["decision"]
    return found


def verdicts(decision: dict[str, Any]) -> dict[str, str]:
    return {row["metric"]: row["verdict"] for row in decision["metrics"]}


def test_one_sample_is_no_decision(tmp_path: Path):
    project = ReplayProject(tmp_path, samples=1)
    assert run(["baseline", "update"]) == 0
    project.record(changed)

    assert run(["check"]) == 3
    assert any("must get worse before it can fail" in one for one in decided(project)["reasons"])


def test_scores_that_never_vary_pass_and_are_not_called_held_by_few(tmp_path: Path):
    project = ReplayProject(tmp_path, samples=20)
    assert run(["baseline", "update"]) == 0
    project.record(lambda n, _: {**right(n, 0), "answer": right(n, 0)["answer"].replace(".", "!")})

    assert run(["check"]) == 0
    decision = decided(project)
    assert verdicts(decision)["token_f1"] == "cannot_tell"
    assert any(
        "runs of the baseline are identical: they count as one" in one
        for one in decision["warnings"]
    )


def test_outputs_that_were_never_recorded_are_no_decision(tmp_path: Path):
    project = ReplayProject(tmp_path)
    assert run(["baseline", "update"]) == 0
    lines = [json.dumps({"id": "elsewhere", **right(1, 0)}) + "\n"]
    (tmp_path / "outputs" / "run0.jsonl").write_text("".join(lines))
    for other in ("run1", "run2"):
        (tmp_path / "outputs" / f"{other}.jsonl").unlink()

    assert run(["check"]) == 3
    assert " questions failed: no recorded output in run 1" in decided(project)["reasons"][0]


def test_one_baseline_run_says_that_its_noise_is_unknown(tmp_path: Path):
    project = ReplayProject(tmp_path)
    assert run(["baseline", "update", "--runs", "1"]) == 0
    project.record(changed)

    run(["check"])

    decision = decided(project)
    assert any(
        one.startswith("with 1 baseline run a drop of about") for one in decision["warnings"]
    )
    notes = [row["mde_note"] for row in decision["metrics"]]
    assert all(note.startswith("noise unknown") for note in notes)


def test_ragged_runs_count_with_what_each_sample_has(tmp_path: Path):
    project = ReplayProject(tmp_path, samples=60)
    for number, gone in ((1, {3, 4}), (2, {5})):
        path = tmp_path / "outputs" / f"run{number}.jsonl"
        lines = path.read_text().splitlines(keepends=True)
        kept = [line for line in lines if json.loads(line)["id"] not in {f"q{n}" for n in gone}]
        path.write_text("".join(kept))
    assert run(["baseline", "update"]) == 0
    project.record(lambda n, _: changed(n, 0) if n % 2 else right(n, 0))

    assert run(["check"]) == 1
    row = next(row for row in decided(project)["metrics"] if row["metric"] == "token_f1")
    assert (row["n"], row["verdict"]) == (60, "regressed")


def test_a_metric_that_the_baseline_lacks_is_not_comparable_with_the_remedy(tmp_path: Path, capsys):
    project = ReplayProject(tmp_path)
    assert run(["baseline", "update"]) == 0
    project.configure(metrics='[policy.metrics.rouge_l]\nlevel = "error"\n')
    project.record(right)

    assert run(["check"]) == 3
    assert "the baseline has no rouge_l" in decided(project)["reasons"]
    assert "ragate baseline update" in capsys.readouterr().out


def test_a_metric_that_left_the_policy_leaves_no_trace(tmp_path: Path):
    project = ReplayProject(tmp_path, metrics='[policy.metrics.rouge_l]\nlevel = "error"\n')
    assert run(["baseline", "update"]) == 0
    project.configure(metrics="")
    project.record(right)

    assert run(["check"]) == 0
    assert "rouge_l" not in verdicts(decided(project))


def test_clusters_of_one_are_tested_as_samples(tmp_path: Path):
    project = ReplayProject(tmp_path, policy='cluster = "page"')
    project.extra = {n: {"metadata": {"page": f"p{n}"}} for n in range(40)}
    project.write_golden(range(40))
    assert run(["baseline", "update"]) == 0
    project.record(changed)

    assert run(["check"]) == 1
    said = "samples of one 'page' count together: 40 clusters"
    assert said in decided(project)["warnings"]


def test_a_policy_that_gates_nothing_never_passes(tmp_path: Path, capsys):
    project = ReplayProject(tmp_path)
    config = tmp_path / "ragate.toml"
    config.write_text(config.read_text().replace('level = "error"', 'level = "warn"'))
    assert run(["baseline", "update"]) == 0
    project.record(right)

    assert run(["check"]) in (2, 3)
    said = capsys.readouterr()
    assert "gated" in said.out + said.err or "level" in said.err


@pytest.mark.parametrize(
    ("after", "said"),
    [
        ("float('nan')", "ValueError"),
        ("float('inf')", "ValueError"),
        ("7.0", "outside 0.0 to 1.0"),
        ("-0.5", "outside 0.0 to 1.0"),
    ],
)
def test_a_plugin_that_returns_no_score_measures_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, after: str, said: str
):
    project = odd(tmp_path, monkeypatch, before="1.0", after=after)

    assert run(["check"]) == 3
    row = next(row for row in decided(project)["metrics"] if row["metric"] == "odd_metric:create")
    assert row["verdict"] == "not_measured"
    assert any(said in reason for reason in row["unscored_reasons"])


@pytest.mark.parametrize("given", ["[None] * len(pairs)", "None", "[0.5] * len(pairs)"])
def test_a_plugin_that_gives_something_else_than_scores_measures_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: str
):
    project = odd(tmp_path, monkeypatch, before="1.0", after="1.0")
    module = tmp_path / "odd_metric.py"
    text = module.read_text()
    module.write_text(text[: text.index("return [Score")] + f"return {given}\n\n" + ENTRY)
    monkeypatch.delitem(sys.modules, "odd_metric")
    importlib.invalidate_caches()

    assert run(["check"]) == 3
    row = next(row for row in decided(project)["metrics"] if row["metric"] == "odd_metric:create")
    assert (row["verdict"], row["unscored_candidate"]) == ("not_measured", 40)


def test_floats_that_differ_in_the_last_place_are_equal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    project = odd(tmp_path, monkeypatch, before="0.3", after="0.1 + 0.2")

    assert run(["check"]) == 0
    row = next(row for row in decided(project)["metrics"] if row["metric"] == "odd_metric:create")
    assert (row["better"], row["worse"], row["change"]) == (0, 0, 0.0)


def odd(root: Path, monkeypatch: pytest.MonkeyPatch, *, before: str, after: str) -> ReplayProject:
    """A project with a baseline under a metric that is odd where the candidate speaks."""
    (root / "odd_metric.py").write_text(PLUGIN.format(before=before, after=after) + ENTRY)
    monkeypatch.syspath_prepend(str(root))
    monkeypatch.delitem(sys.modules, "odd_metric", raising=False)
    project = ReplayProject(root, metrics=ODD)
    assert run(["baseline", "update"]) == 0
    project.record(lambda n, _: changed(n, 0) if n == 0 else right(n, 0))
    return project


def test_a_baseline_that_cannot_be_read_is_recorded_anew_as_its_message_says(
    tmp_path: Path, capsys
):
    ReplayProject(tmp_path)
    assert run(["baseline", "update"]) == 0
    (path,) = tmp_path.glob("baselines/*.json")
    path.write_bytes(path.read_bytes()[:700])
    assert run(["check"]) == 2

    assert run(["baseline", "update"]) == 0
    assert "recorded anew" in capsys.readouterr().out
    assert run(["check"]) == 0


def test_two_reports_never_go_to_one_file(tmp_path: Path, capsys):
    ReplayProject(tmp_path)
    both = ["--format", "json", "--output", "a", "--format", "markdown", "--output", "a"]

    assert run(["check", *both]) == 2
    assert "same file" in capsys.readouterr().err


def test_an_explanation_goes_where_it_was_asked_to(tmp_path: Path, capsys):
    project = ReplayProject(tmp_path)
    assert run(["baseline", "update"]) == 0
    project.record(changed)
    run(["check"])
    capsys.readouterr()

    assert run(["report", "--explain", "q1", "--output", "one.txt"]) == 0
    assert capsys.readouterr().out == ""
    assert "q1" in (tmp_path / "one.txt").read_text()
    assert run(["report", "--explain", "q1", "--format", "json"]) == 2


def test_what_a_baseline_says_of_itself_cannot_steer_the_terminal(tmp_path: Path, capsys):
    ReplayProject(tmp_path)
    assert run(["baseline", "update"]) == 0
    (path,) = tmp_path.glob("baselines/*.json")
    data = json.loads(path.read_text())
    path.write_text(json.dumps({**data, "dataset": "\x1b]0;title\x07\nmeans: 1.0"}))
    capsys.readouterr()

    assert run(["baseline", "show"]) == 0
    assert "\x1b" not in capsys.readouterr().out


def test_a_baseline_without_samples_is_shown(tmp_path: Path, capsys):
    ReplayProject(tmp_path)
    assert run(["baseline", "update"]) == 0
    (path,) = tmp_path.glob("baselines/*.json")
    data = json.loads(path.read_text())
    path.write_text(json.dumps({**data, "samples": {}}))
    capsys.readouterr()

    assert run(["baseline", "show"]) == 0
    assert "samples:    0\n" in capsys.readouterr().out


def test_an_estimate_refuses_options_that_it_would_ignore(tmp_path: Path, capsys):
    ReplayProject(tmp_path)

    assert run(["check", "--estimate", "--format", "json", "--output", "a.json"]) == 2
    assert "leave out --format" in capsys.readouterr().err


def test_an_empty_variable_names_no_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    ReplayProject(tmp_path)
    monkeypatch.setenv("RAGATE_CONFIG", "")

    assert run(["baseline", "update"]) == 0
    assert run(["doctor"]) == 0
