"""``[system] use = "scores"``: an evaluator's scores under the policy, with a baseline."""

from __future__ import annotations

import csv
import json
import random
import shutil
from contextlib import chdir
from pathlib import Path
from typing import Any

import pytest

from ragate.cli.main import run
from tests.repositories import commit, git
from tests.unit.scores.ways_not_to_run import broken, flagged
from tests.unit.scores.written_by_tools import WRITERS, evaluated
from tests.unit.whole import of_the_whole

CONFIG = """
[policy]
baseline = "baselines/main.json"
systems = ["scores"]
scores_paths = ["out/*"]

[policy.metrics.faithfulness]
range = [0, 1]

[policy.metrics.zeal]
direction = "lower"
range = [0, 10]

[system]
use = "scores"
paths = ["out/scores.csv"]
"""


def scores(root: Path, *, lost: float = 0.0, n: int = 60, zeal: float = 3.0) -> None:
    rng = random.Random(f"{lost}{zeal}")
    (root / "out").mkdir(exist_ok=True)
    with (root / "out/scores.csv").open("w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["id", "question", "tags", "faithfulness", "zeal"])
        for number in range(n):
            own = random.Random(number)
            value = min(1.0, max(0.0, own.gauss(0.8, 0.1) - lost + rng.gauss(0, 0.02)))
            tag = "billing" if number % 2 else "api"
            row = [f"q{number}", f"Rule {number}?", tag, round(value, 4), zeal + own.random()]
            out.writerow(row)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with a baseline; it is recorded once, and each test gets a copy."""
    root = tmp_path_factory.mktemp("recorded")
    (root / "ragate.toml").write_text(CONFIG)
    scores(root)
    with chdir(root):
        assert run(["baseline", "update"]) == 0
    return root


@pytest.fixture
def project(recorded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(recorded, tmp_path, dirs_exist_ok=True)
    return tmp_path


def test_a_committed_baseline_is_held(project: Path):
    scores(project, lost=0.001)
    assert run(["check"]) == 0

    scores(project, lost=0.1)
    assert run(["check"]) == 1


def test_lower_is_better_where_the_policy_says_so(project: Path):
    scores(project, zeal=6.0)
    assert run(["check"]) == 1

    scores(project, zeal=1.0)
    assert run(["check"]) == 0


def test_a_direction_that_nothing_tells_is_an_error_that_shows_both_ways(
    project: Path, capsys: pytest.CaptureFixture[str]
):
    (project / "ragate.toml").write_text(CONFIG.replace('direction = "lower"\n', ""))

    assert run(["check"]) == 2
    told = capsys.readouterr().err
    assert 'direction = "higher", or direction = "lower"' in told
    assert "[policy.metrics.zeal]" in told


def test_rows_that_are_gone_are_no_decision(project: Path, capsys: pytest.CaptureFixture[str]):
    scores(project, n=52)

    assert run(["check"]) == 3
    assert "no row of 8 samples" in capsys.readouterr().out


def test_a_file_elsewhere_is_refused(project: Path, capsys: pytest.CaptureFixture[str]):
    (project / "mine.csv").write_bytes((project / "out/scores.csv").read_bytes())
    text = (project / "ragate.toml").read_text().replace('["out/scores.csv"]', '["mine.csv"]')
    (project / "ragate.toml").write_text(text)

    assert run(["check"]) == 2
    assert "scores_paths" in capsys.readouterr().err


def test_a_tag_is_a_slice(project: Path, capsys: pytest.CaptureFixture[str]):
    part = '\n[[policy.slices]]\nname = "billing"\ntags = ["billing"]\n'
    (project / "ragate.toml").write_text(CONFIG + part)

    assert run(["check", "--format", "json"]) == 0
    [row, *_] = json.loads(capsys.readouterr().out)["decision"]["slices"]
    assert (row["slice"], row["n"]) == ("billing", 30)


def answered(root: Path, *, lost: float = 0.0, says: str = "Yes.", team: bool = True) -> None:
    """Write scores with answers, costs, and a column of words."""
    with (root / "out/scores.csv").open("w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["id", "question", "answer", "cost_usd", "team", "faithfulness"])
        for number in range(60):
            value = round(0.6 + number % 5 / 20 - lost * (number % 2), 3)
            name = ["api", "billing"][number % 2] if team else ""
            out.writerow([f"q{number}", f"Rule {number}?", says, 0.001, name, value])


@pytest.fixture
def blank(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for a project that has no baseline yet."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "out").mkdir()
    return tmp_path


WITH_ANSWERS = CONFIG.replace('[policy.metrics.zeal]\ndirection = "lower"\nrange = [0, 10]\n', "")


def report(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    """Return what a check says as JSON."""
    capsys.readouterr()
    run(["check", "--format", "json"])
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_causes_costs_and_the_judges_noise_are_told_from_the_file(
    blank: Path, capsys: pytest.CaptureFixture[str]
):
    (blank / "ragate.toml").write_text(WITH_ANSWERS)
    answered(blank)
    assert run(["baseline", "update"]) == 0

    answered(blank, lost=0.2)
    told = report(capsys)
    assert {row["cause"]["kind"] for row in told["samples"]} == {"judge"}
    noise = "the judge's noise: on 60 answers that did not change, faithfulness by 0.100"
    assert noise in told["decision"]["lines"]
    assert told["facts"]["cost_usd"] == pytest.approx(0.06)

    answered(blank, lost=0.2, says="No.")
    told = report(capsys)
    causes = [row["cause"] for row in told["samples"] if row["cause"]]
    assert {cause["kind"] for cause in causes} == {"unknown"}
    assert "what was retrieved is not recorded" in causes[0]["evidence"]


def test_a_column_of_words_is_a_slice_which_a_limit_or_a_drop_of_its_own_fails(
    blank: Path, capsys: pytest.CaptureFixture[str]
):
    part = '\n[[policy.slices]]\nname = "billing"\nwhere = ["team=billing"]\n'
    (blank / "ragate.toml").write_text(WITH_ANSWERS + part)
    answered(blank)
    assert run(["baseline", "update"]) == 0

    answered(blank, lost=0.3)
    [row, *_] = report(capsys)["decision"]["slices"]
    assert (row["slice"], row["n"], row["verdict"]) == ("billing", 30, "regressed")

    answered(blank, team=False)
    assert run(["check"]) == 2  # a column that is gone holds nothing
    assert "team" in capsys.readouterr().err


def test_a_floor_fails_and_a_waiver_leaves_a_sample_out(blank: Path):
    floor = "[policy.metrics.faithfulness]\nminimum = 0.69\n"
    text = WITH_ANSWERS.replace("[policy.metrics.faithfulness]\n", floor)
    (blank / "ragate.toml").write_text(text)
    answered(blank)
    assert run(["baseline", "update"]) == 0
    assert run(["check"]) == 0

    rows = (blank / "out/scores.csv").read_text().splitlines()
    rows[-1] = rows[-1].rpartition(",")[0] + ",0.0"
    (blank / "out/scores.csv").write_text("\n".join(rows) + "\n")
    assert run(["check"]) == 1

    waiver = """
[[policy.waivers]]
id = "q59"
metric = "faithfulness"
reason = "the rule was taken back"
owner = "billing"
until = 2999-01-01
"""
    (blank / "ragate.toml").write_text(text + waiver)
    assert run(["check"]) == 0


def test_several_files_are_several_runs_of_a_check(blank: Path, capsys: pytest.CaptureFixture[str]):
    config = WITH_ANSWERS.replace('["out/scores.csv"]', '["out/run*.csv"]')
    (blank / "ragate.toml").write_text(config)
    for number in range(3):
        answered(blank, lost=number / 1000)
        (blank / "out/scores.csv").rename(blank / f"out/run{number}.csv")

    assert run(["baseline", "update"]) == 0
    assert "3 runs" in capsys.readouterr().out
    assert run(["baseline", "show"]) == 0
    shown = capsys.readouterr().out
    assert "not known" not in shown
    assert "faithfulness" in shown
    assert run(["check", "--runs", "3"]) == 0
    assert run(["power"]) == 0
    assert run(["baseline", "rejudge"]) == 2
    assert "let it score main again" in capsys.readouterr().err


def test_another_judge_is_not_comparable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    config = CONFIG.replace("scores.csv", "run.json").replace(
        '[policy.metrics.zeal]\ndirection = "lower"\nrange = [0, 10]\n', ""
    )
    (tmp_path / "ragate.toml").write_text(config.replace("faithfulness", "Faithfulness"))
    (tmp_path / "out").mkdir()

    def judged_by(judge: str) -> None:
        cases = [
            {"name": f"q{n}", "input": f"Rule {n}?", "actualOutput": "Yes.", "success": True}
            | {"metricsData": [measured(judge, n)]}
            for n in range(40)
        ]
        (tmp_path / "out/run.json").write_text(json.dumps({"testCases": cases}))

    def measured(judge: str, n: int) -> dict[str, object]:
        score = 0.7 + (n % 3) / 10
        said = {"score": score, "threshold": 0.5, "success": True, "evaluationModel": judge}
        return {"name": "Faithfulness", **said}

    judged_by("small")
    assert run(["baseline", "update"]) == 0
    assert run(["check"]) == 0

    judged_by("large")
    assert run(["check"]) == 3


@pytest.mark.parametrize(("run_id", "said"), [("run-1", 1), ("", 0)])
def test_the_baselines_own_file_is_said_to_be_so_where_it_names_its_run(
    run_id: str, said: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "out").mkdir()
    rows = [
        {"vars": {"q": f"Rule {n}?"}, "promptIdx": 0, "success": True, "score": n % 3 / 2}
        for n in range(40)
    ]
    written = {"evalId": run_id, "results": {"version": 3, "results": rows}}
    (tmp_path / "out/scores.json").write_text(json.dumps(written))
    config = CONFIG.replace("scores.csv", "scores.json").partition("[policy.metrics")
    system = CONFIG[CONFIG.index("[system]") :].replace(".csv", ".json")
    (tmp_path / "ragate.toml").write_text(config[0] + "[policy.metrics.score]\n" + system)
    assert run(["baseline", "update"]) == 0
    capsys.readouterr()

    assert run(["check"]) == 0
    told = capsys.readouterr()
    assert (told.out + told.err).count("the baseline's own") == said


def test_a_golden_set_says_what_was_taken_out_and_what_must_pass(project: Path):
    samples = [{"id": f"q{n}", "query": f"Rule {n}?"} for n in range(60)]
    samples[0]["must_pass"] = True  # type: ignore[assignment]
    (project / "golden.jsonl").write_text("".join(json.dumps(one) + "\n" for one in samples))
    text = CONFIG.replace("systems =", 'dataset = "golden.jsonl"\nsystems =')
    text = text.replace(
        "[policy.metrics.faithfulness]", "[policy.metrics.faithfulness]\npass_at = 0.2"
    )
    (project / "ragate.toml").write_text(text)
    assert run(["baseline", "update"]) == 0
    assert run(["check"]) == 0

    rows = (project / "out/scores.csv").read_text().splitlines()
    first = rows[1].split(",")
    first[3] = "0.0"
    (project / "out/scores.csv").write_text("\n".join([rows[0], ",".join(first), *rows[2:]]) + "\n")
    assert run(["check"]) == 1


def test_two_files_are_compared_by_the_policy(project: Path, capsys: pytest.CaptureFixture[str]):
    before, after = project / "before.csv", project / "after.csv"
    before.write_bytes((project / "out/scores.csv").read_bytes())
    scores(project, lost=0.1)
    after.write_bytes((project / "out/scores.csv").read_bytes())
    scores(project, n=52)
    short = project / "out/scores.csv"

    assert run(["compare", str(before), str(before)]) == 0
    assert run(["compare", str(before), str(after)]) == 1
    assert run(["compare", "baselines/main.json", str(after)]) == 1
    assert run(["compare", str(before), str(short)]) == 3
    assert run(["gate", str(before), str(after), "--config", "ragate.toml"]) == 1
    assert run(["gate", str(before), str(after), "--config", "ragate.toml", "--metric", "a"]) == 2
    assert "its policy says all" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("tool", "passed"), [("deepeval 4", True), ("promptfoo json", False), ("azure", True)]
)
def test_flags_that_contradict_their_scores_are_no_decision(
    tool: str, passed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    name, write = WRITERS[tool]
    metrics = ["Faithfulness"] if tool == "deepeval 4" else ["faithfulness"]
    metrics += [] if tool == "azure" else ["passed"]
    tables = "".join(f"[policy.metrics.{metric}]\n" for metric in metrics)
    config = CONFIG.replace("scores.csv", name).partition("[policy.metrics")[0]
    system = CONFIG[CONFIG.index("[system]") :].replace("scores.csv", name)
    (tmp_path / "ragate.toml").write_text(config + tables + system)
    (tmp_path / "out").mkdir()
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "out" / name
    path.write_bytes(write(evaluated()))
    assert run(["baseline", "update"]) == 0

    spoil = flagged(lambda _number, _sample: passed)
    path.write_bytes(write(spoil(broken(evaluated()) if passed else evaluated())))

    assert run(["check"]) == 3


def test_what_failed_for_a_marker_of_no_score_is_not_measured(
    blank: Path, capsys: pytest.CaptureFixture[str]
):
    config = CONFIG.partition("[policy.metrics")[0] + "[policy.metrics.passed]\n"
    (blank / "ragate.toml").write_text(config + CONFIG[CONFIG.index("[system]") :])
    (blank / "out").mkdir(exist_ok=True)

    def graded(lost: int) -> None:
        grades = [-1 if n < lost else 3 + n % 3 for n in range(80)]
        rows = [f"q{n},{grade},{grade > 2}" for n, grade in enumerate(grades)]
        (blank / "out/scores.csv").write_text("\n".join(["id,quality,passed", *rows]) + "\n")

    graded(0)
    assert run(["baseline", "update"]) == 0
    graded(20)
    assert run(["check"]) == 3
    assert "a score of this sample is missing" in " ".join(capsys.readouterr().out.split())


@of_the_whole
def test_history_tells_which_commit_moved_the_scores(
    project: Path, capsys: pytest.CaptureFixture[str]
):
    git(project, "init", "-q")
    commit(project, "first")
    scores(project, lost=0.1)
    assert run(["baseline", "update", "--accept", "faithfulness"]) == 0
    commit(project, "another model")
    capsys.readouterr()

    assert run(["history", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert [point["subject"] for point in found["points"]] == ["first", "another model"]
    (move,) = found["metrics"]["faithfulness"]["moves"]
    assert move["change"] < -0.05


def test_a_file_that_is_checked_twice_at_a_commit_is_one_run(
    project: Path, capsys: pytest.CaptureFixture[str]
):
    git(project, "init", "-q")
    (project / ".gitignore").write_text("out/\n.ragate/\n")
    commit(project, "a state")
    scores(project, lost=0.1)

    for _ in range(2):
        assert run(["check"]) == 1
        newest = max((project / ".ragate/runs").glob("*/report.json"))
        assert json.loads(newest.read_text())["decision"]["runs_candidate"] == 1
    scores(project, lost=0.001)  # the evaluator ran again: the file is all there is
    assert run(["check"]) == 0
