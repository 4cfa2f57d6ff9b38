"""``ragate gate BEFORE AFTER`` from the command line: the verdict, and what it refuses."""

from __future__ import annotations

import csv
import json
import random
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ragate.cli.main import run
from tests.unit.scores.ways_not_to_run import failed, harmless
from tests.unit.scores.written_by_tools import WRITERS, Evaluation, evaluated

N = 80
EVALUATION = evaluated()


def table(path: Path, *, lost: float = 0.0, seed: int = 1, n: int = N, **columns: object) -> Path:
    """Write a table of two metrics, of which `lost` is taken off the first."""
    rng = random.Random(seed)
    with path.open("w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["id", "question", "faithfulness", "accuracy", *columns])
        for number in range(n):
            own = random.Random(number)
            value = min(1.0, max(0.0, own.gauss(0.8, 0.1) - lost + rng.gauss(0, 0.03)))
            right = int(own.random() < 0.8)
            row = [f"q{number}", f"What is {number}?", round(value, 4), right, *columns.values()]
            out.writerow(row)
    return path


def deepeval(path: Path, run: Evaluation) -> Path:
    path.write_bytes(WRITERS["deepeval 4"][1](run))
    return path


def promptfoo() -> dict[str, Any]:
    written: dict[str, Any] = json.loads(WRITERS["promptfoo json"][1](EVALUATION))
    return written


def lines(path: Path, rows: Sequence[Mapping[str, object]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_scores_that_did_not_move_pass(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    code = run(["gate", str(table(tmp_path / "a.csv")), str(table(tmp_path / "b.csv", seed=5))])

    assert code == 0
    assert "PASSED" in capsys.readouterr().out


def test_a_proven_drop_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    before, after = table(tmp_path / "a.csv"), table(tmp_path / "b.csv", seed=5, lost=0.1)

    assert run(["gate", str(before), str(after)]) == 1
    out = capsys.readouterr().out
    assert "faithfulness −" in out
    assert "ragate report" not in out  # nothing is stored that it could show
    assert "ragate check" not in out


def test_the_renderers_are_those_of_every_report(tmp_path: Path):
    before, after = table(tmp_path / "a.csv"), table(tmp_path / "b.csv", seed=5, lost=0.1)
    report, tests = tmp_path / "report.json", tmp_path / "tests.xml"
    options = ["--format", "json", "--output", str(report)]
    options += ["--format", "junit", "--output", str(tests)]

    assert run(["gate", str(before), str(after), *options]) == 1

    assert json.loads(report.read_text())["decision"]["verdict"] == "failed"
    assert "faithfulness" in tests.read_text()


def test_what_a_verdict_on_two_files_does_not_need_is_not_loaded(tmp_path: Path):
    sides = [str(table(tmp_path / "a.csv")), str(table(tmp_path / "b.csv", seed=5))]
    heavy = {"ragate.config.model", "ragate.baseline", "ragate.dataset", "asyncio", "numpy.ma"}
    code = (
        "import sys\n"
        "from ragate.cli.main import run\n"
        f"assert run(['gate', *{sides}]) == 0\n"
        f"sys.exit(', '.join({heavy} & sys.modules.keys()) or 0)\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)

    assert (ended.returncode, ended.stderr) == (0, "")


def test_large_files_are_read_behind_a_bar(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr("ragate.scores.score_table._EVERY", 100)
    sides = [str(table(tmp_path / name, n=450)) for name in ("a.csv", "b.csv")]

    assert run(["gate", *sides]) == 0
    told = capsys.readouterr().err
    assert "reading before: 450/450 rows" in told
    assert told.endswith("comparing\n")


def test_lower_is_better_where_it_is_said(tmp_path: Path):
    rows = [{"id": n, "off": (n % 10) / 20} for n in range(N)]
    before = lines(tmp_path / "a.jsonl", rows)
    after = lines(tmp_path / "b.jsonl", [{**row, "off": row["off"] + 0.3} for row in rows])

    assert run(["gate", str(before), str(after), "--lower-is-better", "off"]) == 1
    assert run(["gate", str(before), str(after), "--higher-is-better", "off"]) == 0


def test_an_unknown_direction_is_an_error_that_shows_both_ways(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    before = lines(tmp_path / "a.jsonl", [{"id": n, "zeal $HOME": 0.5} for n in range(20)])

    assert run(["gate", str(before), str(before)]) == 2

    told = capsys.readouterr().err
    assert "--higher-is-better 'zeal $HOME'" in told  # one word of the shell
    assert "--lower-is-better 'zeal $HOME'" in told


def test_no_sample_in_common_names_three_of_each_side(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    before = lines(tmp_path / "a.jsonl", [{"id": f"a{n}", "score": 1} for n in range(9)])
    after = lines(tmp_path / "b.jsonl", [{"id": f"b{n}", "score": 1} for n in range(9)])

    assert run(["gate", str(before), str(after)]) == 2

    told = capsys.readouterr().err
    assert "a0, a1, a2" in told
    assert "b0, b1, b2" in told


def test_rows_that_are_missing_are_no_decision(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    before, after = table(tmp_path / "a.csv"), table(tmp_path / "b.csv", n=N - 12)

    assert run(["gate", str(before), str(after)]) == 3
    assert "no row of" in capsys.readouterr().out


def test_a_metric_that_is_missing_is_no_decision(tmp_path: Path):
    rows = [{"id": n, "faithfulness": 0.5, "accuracy": 1} for n in range(N)]
    before = lines(tmp_path / "a.jsonl", rows)
    after = lines(tmp_path / "b.jsonl", [{"id": n, "accuracy": 1} for n in range(N)])

    assert run(["gate", str(before), str(after)]) == 3


def test_percents_where_fractions_were_are_no_decision(tmp_path: Path):
    rows = [{"id": n, "accuracy": 0.5 + (n % 5) / 10} for n in range(N)]
    shares = lines(tmp_path / "a.jsonl", rows)
    percents = [{**row, "accuracy": row["accuracy"] * 100} for row in rows]
    percent = lines(tmp_path / "b.jsonl", percents)

    assert run(["gate", str(shares), str(percent)]) == 3
    assert run(["gate", str(percent), str(shares)]) == 3


def test_more_than_twenty_metrics_ask_for_a_choice(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    rows = [{"id": n, **{f"accuracy@{k}": 1 for k in range(21)}} for n in range(30)]
    before = lines(tmp_path / "a.jsonl", rows)

    assert run(["gate", str(before), str(before)]) == 2
    assert "--metric NAME" in capsys.readouterr().err
    assert run(["gate", str(before), str(before), "--metric", "accuracy@3"]) == 0


def test_a_minimum_fails_whatever_was_before(tmp_path: Path):
    before = table(tmp_path / "a.csv")

    assert run(["gate", str(before), str(before), "--minimum", "faithfulness=0.95"]) == 1
    assert run(["gate", str(before), str(before), "--minimum", "faithfulness=0.5"]) == 0


def test_the_same_file_twice_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    before = table(tmp_path / "a.csv")

    assert run(["gate", str(before), str(before), "--verbose"]) == 0
    assert "byte for byte" in capsys.readouterr().out


def test_lines_of_the_same_tool_compare_although_they_name_no_version(tmp_path: Path):
    whole = promptfoo()
    (tmp_path / "a.json").write_text(json.dumps(whole))
    after = lines(tmp_path / "b.jsonl", whole["results"]["results"])

    assert run(["gate", str(tmp_path / "a.json"), str(after)]) == 0


def test_a_judge_that_one_side_names_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    before = deepeval(tmp_path / "a.json", EVALUATION)
    after = deepeval(tmp_path / "b.json", replace(harmless(EVALUATION), judge=""))

    assert run(["gate", str(before), str(after), "--verbose"]) == 0
    assert "b.json does not say who judged" in " ".join(capsys.readouterr().out.split())


def test_several_runs_of_each_side(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    sides = []
    for side, lost in (("--before", 0.0), ("--after", 0.06)):
        for seed in (1, 2):
            file = table(tmp_path / f"{side}{seed}.csv", seed=seed + 10, lost=lost)
            sides += [side, str(file)]

    assert run(["gate", *sides, "--format", "json"]) == 1
    decision = json.loads(capsys.readouterr().out)["decision"]
    assert (decision["runs_baseline"], decision["runs_candidate"]) == (2, 2)


def test_an_id_that_is_a_number_here_and_a_text_there_is_one(tmp_path: Path):
    before = lines(tmp_path / "a.jsonl", [{"id": n, "score": 1} for n in range(30)])
    after = lines(tmp_path / "b.jsonl", [{"id": str(n), "score": 1} for n in range(30)])

    assert run(["gate", str(before), str(after)]) == 0


def test_two_lines_of_one_sample_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    rows = [{"id": n, "score": 1} for n in range(30)]
    before = lines(tmp_path / "a.jsonl", rows)
    after = lines(tmp_path / "b.jsonl", [*rows, {"id": 3, "score": 0}])

    assert run(["gate", str(before), str(after)]) == 2
    told = capsys.readouterr().err
    assert "b.jsonl:4 and " in told
    assert "b.jsonl:31" in told


def test_names_of_metrics_are_hostile_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    name = "<img src=x>@team [a](http://b)\x1b[31m::error::|`"
    rows = [{"id": n, name: 1.0 - (n % 2) / 2} for n in range(60)]
    before = lines(tmp_path / "a.jsonl", rows)
    after = lines(tmp_path / "b.jsonl", [{"id": n, name: 0.1} for n in range(60)])
    shown = "<img src=x>@team [a](http://b)::error::|`"

    code = run(
        ["gate", str(before), str(after), "--higher-is-better", shown, "--format", "markdown"]
    )

    assert code == 1
    out = capsys.readouterr().out
    assert "<img" not in out
    assert "\x1b" not in out
    assert "<code>&lt;img" in out


def test_a_policy_nearby_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "ragate.toml").write_text("this is no TOML")
    monkeypatch.chdir(tmp_path)

    assert run(["gate", str(table(tmp_path / "a.csv")), str(table(tmp_path / "b.csv"))]) == 0


def test_the_samples_of_one_tag_are_chosen(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    rows = [{"id": n, "tags": ["new" if n % 2 else "old"], "recall": 1.0} for n in range(60)]
    before = lines(tmp_path / "a.jsonl", rows)
    worse = [{**row, "recall": row["id"] % 2} for row in rows]  # type: ignore[operator]
    after = lines(tmp_path / "b.jsonl", worse)

    assert run(["gate", str(before), str(after)]) == 1
    assert run(["gate", str(before), str(after), "--tag", "old"]) == 1
    assert run(["gate", str(before), str(after), "--tag", "new"]) == 0
    capsys.readouterr()
    assert run(["gate", str(before), str(after), "--tag", "newer"]) == 2
    assert "its tags: new, old" in capsys.readouterr().err


def test_a_file_of_means_is_told_what_to_write(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    path = tmp_path / "means.json"
    path.write_text(json.dumps({"git_sha": "0", "scores": {"faithfulness": 0.9}}))

    assert run(["gate", str(path), str(path)]) == 2
    assert "no scores of its samples" in capsys.readouterr().err


def test_samples_without_ids_are_told_by_their_questions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    one = lines(tmp_path / "a.jsonl", [{"question": "Who pays?", "recall": 1.0}] * 2)
    other = lines(tmp_path / "b.jsonl", [{"question": "Who pays now?", "recall": 1.0}] * 2)

    assert run(["gate", str(one), str(other)]) == 2
    assert "'Who pays?'" in capsys.readouterr().err


def test_answers_and_a_baseline_are_told_where_they_belong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    answers = lines(tmp_path / "a.jsonl", [{"id": n, "answer": "30 days"} for n in range(9)])
    recorded = tmp_path / "main.json"
    recorded.write_text(json.dumps({"schema_version": 1, "recorded": "", "samples": {}}))

    assert run(["gate", str(answers), str(answers)]) == 2
    assert "ragate init" in capsys.readouterr().err
    assert run(["gate", str(recorded), str(recorded)]) == 2
    assert "a baseline of ragate" in capsys.readouterr().err

    sent = tmp_path / "sent.json"
    sent.write_text(json.dumps({"testRunLink": "https://x"}))
    assert run(["gate", str(sent), str(sent)]) == 2
    assert "where deepeval sent the run" in capsys.readouterr().err


def test_a_marker_of_what_was_not_measured_is_no_score(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    def graded(path: Path, lost: int) -> Path:
        values = [-1 if n < lost else 3 + n % 3 for n in range(N)]
        return lines(path, [{"id": n, "quality": v} for n, v in enumerate(values)])

    before = graded(tmp_path / "a.jsonl", 0)

    assert run(["gate", str(before), str(graded(tmp_path / "b.jsonl", 30))]) == 3
    assert "-1 is outside the range 0 and more" in " ".join(capsys.readouterr().out.split())
    assert run(["gate", str(before), str(graded(tmp_path / "c.jsonl", 3))]) == 0
    assert "3 unscored" in capsys.readouterr().out


def test_grades_of_minus_one_to_one_and_signed_metrics_are_scores(tmp_path: Path):
    for name, options in (("mood", ["--higher-is-better", "mood"]), ("mcc", [])):
        before = lines(tmp_path / "a.jsonl", [{"id": n, name: n % 3 - 1} for n in range(N)])
        after = lines(tmp_path / "b.jsonl", [{"id": n, name: -1} for n in range(N)])

        assert run(["gate", str(before), str(after), *options]) == 1


def test_what_is_only_shown_names_no_key_of_a_policy(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    near = [
        {"id": n, "recall": 0.5 if n < 20 else 0.9 - n / 1000, "passed": True} for n in range(N)
    ]
    missed = [{"id": n, "recall": 0.2, "passed": False} for n in range(N, N + 5)]
    before = lines(tmp_path / "a.jsonl", [*near, *missed])
    fallen = [{**row, "recall": 0.499, "passed": False} for row in near[:20]]
    after = lines(tmp_path / "b.jsonl", [*fallen, *near[20:], *missed])

    run(["gate", str(before), str(after), "--verbose"])

    out = " ".join(capsys.readouterr().out.split())
    assert "passed fell on 20 of 85 questions, and is only shown" in out


def test_a_judge_that_was_out_names_no_key_of_a_policy(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    before = deepeval(tmp_path / "a.json", EVALUATION)
    after = deepeval(tmp_path / "b.json", failed(5, "the judge is out")(EVALUATION))

    assert run(["gate", str(before), str(after), "--verbose"]) == 3
    out = capsys.readouterr().out
    assert "the judge is out" in out
    assert "timeout_s" not in out


def systems_of(path: Path, *providers: str) -> Path:
    results = []
    for provider in providers:
        whole = promptfoo()
        results += [{**row, "provider": {"id": provider}} for row in whole["results"]["results"]]
    path.write_text(json.dumps({"results": {"version": 3, "results": results}}))
    return path


def test_one_system_is_compared_with_one_of_several(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    one = systems_of(tmp_path / "one.json", "old")
    several = systems_of(tmp_path / "several.json", "old", "new")

    assert run(["gate", str(one), str(several)]) == 2
    assert "--tag provider:old" in capsys.readouterr().err
    assert run(["gate", str(one), str(several), "--tag", "provider:old"]) == 0
    assert run(["gate", str(one), str(systems_of(tmp_path / "b.json", "new"))]) == 0
    assert run(["gate", str(several), str(several)]) == 0


def test_tests_of_promptfoo_may_be_asserted_in_different_ways(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    def results(*lost: int) -> dict[str, object]:
        def result(number: int) -> dict[str, object]:
            kinds = ["regex", "is-json"] if number % 2 else ["similar", "contains"]
            kinds = kinds[:1] if number in lost else kinds
            parts = [{"pass": True, "score": 1, "assertion": {"type": kind}} for kind in kinds]
            return {
                "success": True,
                "score": 1,
                "failureReason": 0,
                "vars": {"question": f"What is {number}?"},
                "provider": {"id": "x"},
                "promptIdx": 0,
                "gradingResult": {"pass": True, "score": 1, "componentResults": parts},
            }

        return {"results": {"version": 3, "results": [result(each) for each in range(20)]}}

    before, after, less = (tmp_path / name for name in ("a.json", "b.json", "c.json"))
    before.write_text(json.dumps(results()))
    after.write_text(json.dumps({**results(), "evalId": "other"}))
    less.write_text(json.dumps(results(1, 3, 5, 7, 9)))

    assert run(["gate", str(before), str(after)]) == 0
    assert run(["gate", str(before), str(less)]) == 3
    assert "Why: is-json: 50.0% of the candidate's scores are missing" in capsys.readouterr().out


def test_nothing_failed_where_a_metric_of_the_other_side_is_empty(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    ids = [f"q{number}" for number in range(30)]
    before = lines(tmp_path / "a.jsonl", [{"id": key, "zeal": 0.5, "passed": True} for key in ids])
    after = lines(tmp_path / "b.jsonl", [{"id": key, "zeal": None, "passed": False} for key in ids])

    assert run(["gate", str(before), str(after), "--higher-is-better", "zeal"]) == 3
    assert "passed and 1 more were not measured" in capsys.readouterr().out
