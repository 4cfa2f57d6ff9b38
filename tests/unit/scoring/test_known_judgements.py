"""What was judged already is not asked again."""

from __future__ import annotations

from pathlib import Path

from tests.unit.scoring.judging_factories import Sorting, judge_once


def test_what_is_decided_without_a_model_is_never_asked_again(tmp_path: Path) -> None:
    first = judge_once(fresh := Sorting(), tmp_path)
    second = judge_once(again := Sorting(), tmp_path)

    assert first == second
    assert first["citation_precision"].reason == "no citations in the answer"
    assert fresh.asked == [("correctness", "relevancy")]
    assert again.asked == []


def test_only_the_criteria_without_a_score_are_asked_again(tmp_path: Path) -> None:
    judge_once(Sorting(without="relevancy"), tmp_path)
    found = judge_once(again := Sorting(), tmp_path)

    assert again.asked == [("relevancy",)]
    assert found["correctness"].value == found["relevancy"].value == 1.0
