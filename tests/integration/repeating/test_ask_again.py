"""Systems that repeat, from the recording to the verdict."""

from __future__ import annotations

import json

import pytest

from ragate.cli.main import run

pytestmark = pytest.mark.integration


WRONG = {f"_{number}": f"The price of item {number} was 7 euros." for number in (1, 5, 9, 13)}


def test_four_wrong_numbers_in_thirty_answers_of_a_system_that_repeats_are_red(declared):
    declared.answer(**WRONG)

    assert run(["check"]) == 1

    asked = declared.asked()  # only what changed, until there are five passes
    assert len(asked) == 30 + 4 * 4
    assert asked.count("What was the price of item 5?") == 5
    assert asked.count("What was the price of item 6?") == 1
    assert any("number_recall fell by 0.067" in line for line in declared.decision()["reasons"])


def test_two_jobs_ask_and_end_as_one_does(declared):
    declared.answer(**WRONG)

    assert run(["collect"]) == 0
    assert len(declared.asked()) == 30 + 4 * 4
    assert run(["decide"]) == 1
    apart = declared.decision()
    assert run(["check"]) == 1
    assert apart["reasons"] == declared.decision()["reasons"]


@pytest.mark.parametrize("lost", [4, 7])
def test_two_jobs_of_three_runs_decide_on_noise_as_one_job_of_three_runs_does(project, lost):
    project.configure()
    # A third of the questions is answered otherwise from pass to pass, so nothing repeats.
    noisy = {f"_{n}": [project.right[f"What was the price of item {n}?"], "7"] for n in range(10)}
    worse = {f"_{n}": "It was 7 euros." for n in range(10, 10 + lost)}
    project.answer(**noisy)
    assert run(["baseline", "update"]) == 0
    project.answer(**noisy, **worse)

    decisions = []
    for commands in (["collect", "--runs", "3"], ["decide"]), (["check", "--runs", "3"],):
        project.asked()  # the first pass answers as it did before
        ends = [run(command) for command in commands]
        assert len(project.asked()) == 3 * 30
        decisions.append((ends[-1], project.decision()))

    (apart, first), (together, second) = decisions
    assert apart == together == (1 if lost == 7 else 0)
    assert first["reasons"] == second["reasons"]
    assert [row["p"] for row in first["metrics"]] == [row["p"] for row in second["metrics"]]
    assert first["metrics"][0]["p"] is not None


def test_collect_asks_nothing_again_where_no_score_moved(declared):
    declared.answer(_5="The price of item 5 was 105 EUROS.")

    assert run(["collect"]) == 0
    assert len(declared.asked()) == 30


def test_collect_tries_what_flips_by_itself_as_often_as_a_check_may(project):
    rows = [json.loads(line) for line in (project.root / "golden.jsonl").read_text().splitlines()]
    rows[3]["must_pass"] = rows[4]["must_pass"] = True
    (project.root / "golden.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    project.configure()
    config = project.root / "ragate.toml"
    config.write_text(config.read_text().replace("number_recall]", "number_recall]\npass_at = 1"))
    project.answer(_3=[project.right["What was the price of item 3?"], "It is free."])
    assert run(["baseline", "update"]) == 0
    project.asked()

    assert run(["collect"]) == 0

    asked = project.asked()
    assert asked.count("What was the price of item 3?") == 12
    assert asked.count("What was the price of item 4?") == 3


def test_an_unchanged_system_that_repeats_is_asked_once_and_unchanged(declared):
    assert run(["check"]) == 0
    assert len(declared.asked()) == 30
    assert {row["verdict"] for row in declared.decision()["metrics"]} == {"unchanged"}


def test_a_check_with_retrieval_only_asks_no_answer_again(declared):
    run(["check", "--retrieval-only"])
    assert len(declared.asked()) == 30
