"""Systems that are declared to repeat, from the recording to the verdict."""

from __future__ import annotations

import pytest

from ragate.cli.main import run
from tests.integration.repeating.repeating_projects import DECLARED

pytestmark = pytest.mark.integration


WRONG = {f"_{number}": f"The price of item {number} was 7 euros." for number in (1, 5, 9, 13)}


def test_four_wrong_numbers_in_thirty_answers_of_a_system_that_repeats_are_red(declared):
    declared.answer(**WRONG)

    assert run(["check"]) == 1

    asked = declared.asked()  # only what changed, until there are three passes
    assert len(asked) == 30 + 2 * 4
    assert asked.count("What was the price of item 5?") == 3
    assert asked.count("What was the price of item 6?") == 1
    assert any("number_recall fell by 0.067" in line for line in declared.decision()["reasons"])


def test_where_it_is_not_declared_the_report_names_the_key(declared, capsys):
    declared.configure()
    declared.answer(**WRONG)

    run(["check"])

    assert 'write `repeats = ["answer"]` below [policy]' in " ".join(
        capsys.readouterr().out.split()
    )


def test_collect_asks_them_again_as_well(declared):
    declared.answer(**WRONG)

    assert run(["collect"]) == 0
    assert len(declared.asked()) == 30 + 2 * 4
    assert run(["decide"]) == 1


def test_a_candidate_that_no_longer_repeats_is_yellow_and_named(declared):
    jitter = [f"The price of item 3 was {number} euros." for number in (7, 103, 8)]
    declared.answer(_3=jitter)

    assert run(["check"]) == 0

    decision = declared.decision()
    verdicts = {row["metric"]: row["verdict"] for row in decision["metrics"]}
    assert verdicts["number_recall"] == "cannot_tell"
    said = "the answer of 1 sample differs from run to run"
    assert any(said in line for line in decision["warnings"])
    assert any("q03" in line for line in decision["warnings"])


def test_an_unchanged_system_that_repeats_is_asked_once_and_unchanged(declared):
    assert run(["check"]) == 0
    assert len(declared.asked()) == 30
    assert {row["verdict"] for row in declared.decision()["metrics"]} == {"unchanged"}


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
    assert "every drop above 0.017" in declared


def test_a_check_with_retrieval_only_asks_no_answer_again(declared):
    run(["check", "--retrieval-only"])
    assert len(declared.asked()) == 30
