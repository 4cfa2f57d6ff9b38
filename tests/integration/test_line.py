"""The whole line on recorded outputs, through the command's own entry point."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from ragate.cli.main import run
from tests.projects import ReplayProject, right

pytestmark = pytest.mark.integration


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ReplayProject:
    for name in ("RAGATE_CONFIG", "RAGATE_STATE_DIR", "RAGATE_DATABASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    return ReplayProject(tmp_path)


@pytest.fixture
def gated(project: ReplayProject) -> ReplayProject:
    """A project with a baseline of three runs, and one run of the candidate."""
    assert run(["baseline", "update"]) == 0
    project.record(right)
    return project


def lost(share: int):
    """Every `share`-th question loses its document and its answer."""

    def answer(number: int, _run: int) -> dict[str, Any]:
        if number % share:
            return right(number, 0)
        return {"answer": "No idea.", "chunks": [{"doc_id": "other.md", "text": "Other."}]}

    return answer


def test_without_a_baseline_there_is_no_decision_and_the_command_is_named(project, capsys):
    assert run(["check"]) == 3
    assert "ragate baseline update" in capsys.readouterr().out


def test_an_unchanged_system_passes(gated):
    assert run(["check"]) == 0
    assert gated.report()["decision"]["verdict"] == "passed"


def test_a_broken_system_fails_and_names_metrics_and_samples(gated, capsys):
    gated.record(lost(2), runs=3)

    assert run(["check"]) == 1

    out = capsys.readouterr().out
    assert "hit_rate@5" in out
    assert "token_f1" in out
    assert "doc0.md" in out
    assert "other.md" in out


def newest(project: ReplayProject, name: str) -> bytes:
    return max((project.root / ".ragate/runs").glob(f"*/{name}")).read_bytes()


def result(project: ReplayProject) -> dict[str, Any]:
    """Return the report without what differs from run to run."""
    report = project.report()
    report["facts"].pop("duration_s")
    return {key: value for key, value in report.items() if key not in {"run_id", "created"}}


def test_what_is_kept_in_a_file_gives_the_same_baseline_scores_and_report(gated, monkeypatch):
    gated.record(lost(2), runs=3)
    baseline = (gated.root / "baselines/gate.json").read_bytes()
    assert run(["check"]) == 1
    first, scores = result(gated), newest(gated, "scores.jsonl")

    monkeypatch.setattr("ragate.support.spill.KEPT", 3)
    assert run(["check"]) == 1
    assert result(gated) == first
    assert newest(gated, "scores.jsonl") == scores
    gated.record(right, runs=3)
    assert run(["baseline", "update"]) == 0
    assert (gated.root / "baselines/gate.json").read_bytes() == baseline


def test_a_suspicious_run_is_confirmed_before_it_is_red(gated):
    gated.record(lost(13), runs=3)

    run(["check"])

    decision = gated.report()["decision"]
    assert decision["confirmed"]


def test_a_clear_drop_is_red_after_one_pass(gated):
    gated.record(lost(2), runs=3)

    assert run(["check", "--skip", "hit_rate@5"]) == 1

    decision = gated.report()["decision"]
    assert decision["runs_candidate"] == 1
    assert not decision["confirmed"]


def test_a_clean_run_asks_for_no_confirmation(gated):
    gated.record(right, runs=3)

    run(["check"])

    newest = max((gated.root / ".ragate" / "runs").glob("*/manifest.json"))
    assert json.loads(newest.read_text())["runs"] == 1


def test_collect_and_decide_give_the_report_of_check(gated):
    # Of a noisy system `check` looks twice and files once, so that the visible drop differs.
    gated.configure(policy='repeats = ["retrieval", "answer"]')
    gated.record(lost(13), runs=3)
    run(["check"])
    checked = gated.report()

    assert run(["collect", "--runs", "3"]) == 0
    assert run(["decide"]) == 1

    assert same(gated.report()) == same(checked)


def same(report: dict[str, Any]) -> dict[str, Any]:
    """Leave out what differs between any two runs: ids, times, durations."""
    facts = {k: v for k, v in report["facts"].items() if k != "duration_s"}
    rest = {k: v for k, v in report.items() if k not in {"run_id", "created", "facts", "system"}}
    return {**rest, "facts": facts}


def test_decide_works_where_the_system_is_not(gated, tmp_path_factory, monkeypatch):
    run(["collect"])
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    for name in ("ragate.toml", "golden.jsonl", "baselines"):
        source = gated.root / name
        (shutil.copytree if source.is_dir() else shutil.copy)(source, elsewhere / name)
    shutil.copy(gated.root / ".ragate" / "outputs.jsonl", elsewhere / "o.jsonl")
    monkeypatch.chdir(elsewhere)

    assert run(["decide", "o.jsonl"]) == 0


def test_outputs_of_a_system_outside_the_policy_are_refused(gated, capsys):
    run(["collect"])
    path = gated.root / ".ragate" / "outputs.jsonl"
    path.write_text(path.read_text().replace('"use":"replay"', '"use":"command"', 1))

    assert run(["decide"]) == 2
    assert "command" in capsys.readouterr().err


def test_outputs_that_stop_half_way_give_no_decision(gated):
    run(["collect"])
    path = gated.root / ".ragate" / "outputs.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:20]))

    assert run(["decide"]) == 3


def test_a_deleted_question_is_reported_with_its_baseline_score(gated):
    gated.write_golden(range(1, 40))

    assert run(["check"]) == 0

    removed = gated.report()["data"]["removed"]
    assert [one["sample_id"] for one in removed] == ["q0"]
    assert removed[0]["means"]["hit_rate@5"] == 1.0


def test_an_edited_question_is_one_removed_and_one_added(gated):
    gated.extra = {3: {"query": "Another wording?"}}
    gated.write_golden(range(40))

    run(["check"])

    data = gated.report()["data"]
    assert data["edited"] == ["q3"]
    assert data["added"] == ["q3"]
    assert [one["sample_id"] for one in data["removed"]] == ["q3"]


def test_deleting_most_hard_questions_is_not_comparable(gated):
    gated.write_golden(range(20))

    assert run(["check"]) == 3


def test_two_updates_in_a_row_leave_the_same_bytes(project):
    run(["baseline", "update"])
    first = (project.root / "baselines" / "gate.json").read_bytes()

    assert run(["baseline", "update"]) == 0

    assert (project.root / "baselines" / "gate.json").read_bytes() == first


def test_a_redrawn_noisy_baseline_is_kept_unless_forced(project, capsys):
    def noisy(shift: int):
        def answer(number: int, run_number: int) -> dict[str, Any]:
            if (number + run_number * 7 + shift) % 10:
                return right(number, 0)
            return {**right(number, 0), "answer": "No idea."}

        return answer

    project.record(noisy(0), runs=3)
    run(["baseline", "update"])
    path = project.root / "baselines" / "gate.json"
    first = path.read_bytes()
    project.record(noisy(1), runs=3)

    assert run(["baseline", "update"]) == 0
    assert path.read_bytes() == first
    assert "--force" in capsys.readouterr().out
    assert run(["baseline", "update", "--force"]) == 0
    assert path.read_bytes() != first


def test_a_system_that_fails_everywhere_writes_no_baseline(project, capsys):
    project.record(lambda _n, _run: {"error": "boom"})

    assert run(["baseline", "update"]) == 3
    assert "boom" in capsys.readouterr().err
    assert not (project.root / "baselines").exists()


def test_a_system_that_fails_everywhere_is_no_decision(gated):
    gated.record(lambda _n, _run: {"error": "boom"})

    assert run(["check"]) == 3


def test_a_filtered_run_says_so_and_names_no_sample_as_removed(gated):
    run(["check", "--limit", "20"])

    report = gated.report()
    assert report["partial"]
    assert report["data"]["removed"] == []


def test_retrieval_only_holds_the_retrieval_rules_alone(gated):
    gated.record(lost(2), runs=3)

    assert run(["check", "--retrieval-only"]) == 1

    assert [row["metric"] for row in gated.report()["decision"]["metrics"]] == ["hit_rate@5"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["check", "--ids", "nope"], "nope"),
        (["check", "--tags", "nope"], "nope"),
        (["check", "--limit", "0"], "limit"),
        (["check", "--format", "yaml"], "yaml"),
        (["check", "--output", "a", "--output", "b"], "--format"),
        (["report", "nope"], "nope"),
        (["nope"], "nope"),
        (["check", "--config", "nope.toml"], "nope.toml"),
    ],
)
def test_wrong_usage_exits_with_2_and_names_what_is_wrong(gated, capsys, arguments, said):
    run(["check"])
    capsys.readouterr()

    assert run(arguments) == 2
    assert said in capsys.readouterr().err


def test_a_baseline_with_nan_exits_with_2(gated, capsys):
    path = gated.root / "baselines" / "gate.json"
    path.write_text(path.read_text().replace('"hit_rate@5":1.0', '"hit_rate@5":NaN', 1))

    assert run(["check"]) == 2
    assert "NaN" in capsys.readouterr().err


def test_an_expired_waiver_exits_with_2_and_names_its_owner(gated, capsys):
    gated.configure(
        metrics="""
[[policy.waivers]]
id = "q1"
metric = "token_f1"
owner = "billing"
reason = "under review"
until = 2020-01-01
"""
    )

    assert run(["check"]) == 2
    assert "billing" in capsys.readouterr().err


def test_a_metric_that_raises_measures_nothing_and_never_passes(gated, tmp_path, monkeypatch):
    (tmp_path / "broken_metric.py").write_text(
        """
from ragate.models import MetricInfo

class Broken:
    state = {}
    def __init__(self, name):
        self.info = MetricInfo(name=name)
    def score_samples(self, pairs):
        raise RuntimeError("no")

def create(request):
    return Broken(request.name)
"""
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    gated.configure(metrics='[policy.metrics."broken_metric:create"]\nlevel = "error"\n')

    assert run(["check"]) == 3
    assert "RuntimeError: no" in json.dumps(gated.report())


def test_a_metric_that_goes_by_another_name_is_refused(gated, tmp_path, monkeypatch, capsys):
    (tmp_path / "other_metric.py").write_text(
        """
from ragate.models import MetricInfo

class Other:
    info = MetricInfo(name="hit_rate@5")
    state = {}
    def score_samples(self, pairs):
        return []

def create(request):
    return Other()
"""
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    gated.configure(metrics='[policy.metrics."other_metric:create"]\nlevel = "warn"\n')

    assert run(["check"]) == 2
    assert "calls itself" in capsys.readouterr().err


def test_a_must_pass_sample_that_fails_twice_of_three_is_red(project):
    project.extra = {5: {"must_pass": True}}
    project.write_golden(range(40))
    project.configure(metrics='[policy.metrics."hit_rate@1"]\nlevel = "error"\npass_at = 1.0\n')
    run(["baseline", "update"])

    def answer(number: int, run_number: int) -> dict[str, Any]:
        found = right(number, 0)
        if number == 5 and run_number > 0:
            found["chunks"] = found["chunks"][::-1]
        return found

    project.record(answer, runs=3)

    assert run(["check"]) == 1

    rows = project.report()["decision"]["must_pass"]
    assert [(row["sample_id"], row["tries"], row["failed"]) for row in rows] == [("q5", 3, 2)]


def test_compare_of_two_stored_runs_needs_no_golden_set(gated):
    run(["check"])
    gated.record(lost(2), runs=1)
    run(["check"])
    old, new = sorted(path.name for path in (gated.root / ".ragate" / "runs").iterdir())[-2:]
    (gated.root / "golden.jsonl").unlink()

    assert run(["compare", "baselines/gate.json", new]) == 1
    assert run(["compare", "baselines/gate.json", old]) == 0


def test_explain_shows_both_sides_of_one_sample(gated, capsys):
    gated.record(lost(2))
    run(["check"])
    capsys.readouterr()

    assert run(["report", "latest", "--explain", "q0"]) == 0

    out = capsys.readouterr().out
    assert "No idea." in out
    assert "0 apples" in out
    assert "doc0.md" in out


def test_the_drill_catches_a_lost_document_and_says_what_it_cannot_see(gated, capsys):
    run(["check"])
    capsys.readouterr()

    assert run(["drill"]) == 0

    out = capsys.readouterr().out
    assert "caught by hit_rate@5" in out
    assert "not caught" in out


def test_power_says_how_many_samples_a_drop_needs(gated, capsys):
    assert run(["power", "--drop", "0.05", "--noise", "0.1"]) == 0

    assert "To see a drop of 0.05 with 3 baseline runs" in capsys.readouterr().out


def test_answers_that_fall_silent_where_the_baseline_cited_are_red(project):
    project.configure(metrics='[policy.metrics.citation_validity]\nlevel = "error"\n')
    run(["baseline", "update"])

    def silent(number: int, _run: int) -> dict[str, Any]:
        found = right(number, 0)
        return {**found, "answer": found["answer"].replace(" [1]", "")} if number % 2 else found

    project.record(silent)

    assert run(["check"]) == 1
    rows = {row["metric"]: row for row in project.report()["decision"]["metrics"]}
    assert rows["citation_validity"]["unscored_candidate"] == 0
    assert rows["citation_validity.checked"]["worse"] == 20


def test_answers_that_never_had_a_citation_do_not_stand_in_the_way(project):
    project.configure(metrics='[policy.metrics.citation_validity]\nlevel = "error"\n')

    def some(number: int, _run: int) -> dict[str, Any]:
        found = right(number, 0)
        return {**found, "answer": found["answer"].replace(" [1]", "")} if number % 2 else found

    project.record(some, runs=3)
    assert run(["baseline", "update"]) == 0
    project.record(some)

    assert run(["check"]) == 0


def test_a_metric_that_is_new_gets_into_a_baseline_that_has_not_moved(project, capsys):
    assert run(["baseline", "update"]) == 0
    project.configure(metrics='[policy.metrics."mrr@5"]\nlevel = "error"')

    assert run(["baseline", "update"]) == 0

    capsys.readouterr()
    assert run(["check"]) == 0
    assert "mrr@5" in capsys.readouterr().out


def wobbly(shift: int):
    """One question in eight is answered in other words, another one in every run."""

    def answer(number: int, run: int) -> dict[str, Any]:
        found = right(number, run)
        if number % 8 == (run + shift) % 8:
            found["answer"] = f"Somebody said that there may be {number} apples. [1]"
        return found

    return answer


@pytest.mark.parametrize("claim", ["generalise", "this-set"])
def test_the_report_and_power_print_the_same_smallest_visible_drop(project, capsys, claim):
    project.configure(policy=f'claim = "{claim}"')
    project.record(wobbly(0), runs=3)
    assert run(["baseline", "update"]) == 0
    project.record(wobbly(3), runs=3)
    assert run(["check"]) == 0
    rows = {row["metric"]: row for row in project.report()["decision"]["metrics"]}
    capsys.readouterr()

    assert run(["power"]) == 0

    lines = capsys.readouterr().out.splitlines()
    assert "noise measured on 3 baseline runs" in lines[0]
    printed = next(line for line in lines if line.startswith("token_f1")).split()[-1]
    assert float(printed) == pytest.approx(rows["token_f1"]["mde"])
