"""Judging beside collecting: not too much at once, and one end for all when the judge is out."""

from __future__ import annotations

from pathlib import Path

from tests.unit.pipeline.score.judging_factories import Sorting, judge_once


def test_criteria_that_stand_apart_are_asked_one_by_one(tmp_path: Path) -> None:
    judge_once(judge := Sorting(apart=True), tmp_path)

    assert judge.asked == [("correctness",), ("relevancy",)]
