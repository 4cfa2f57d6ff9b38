"""Judging beside collecting: not too much at once, and one end for all when the judge is out."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from ragate.cache import Cache
from ragate.core.hashing import judgement_hash
from ragate.models import Sample, Score, SystemOutput, unscored
from tests.factories import output_factory, sample_factory
from tests.unit.judges.every_canary import every_canary
from tests.unit.scoring.judging_factories import Sorting, judge_all, judge_once


def test_criteria_that_stand_apart_are_asked_one_by_one(tmp_path: Path) -> None:
    judge_once(judge := Sorting(apart=True), tmp_path)

    assert judge.asked == [("correctness",), ("relevancy",)]


class Lenient:
    """A judge that calls everything relevant, and knows what is correct."""

    fingerprint = "0123456789abcdef"
    criteria = frozenset({"correctness", "relevancy"})

    async def __call__(
        self, criteria: Sequence[str], sample: Sample, output: SystemOutput
    ) -> dict[str, Score]:
        known = every_canary().get(sample.id, ())
        grade = known[0].expect.get("correctness", (1.0, 1.0))[0] if known else 5.0
        values = {"correctness": grade, "relevancy": 1.0}
        return {name: Score(metric=name, value=values.get(name, 1.0)) for name in criteria}


def test_a_plain_canary_voids_its_criterion_and_leaves_the_others(tmp_path: Path) -> None:
    found = judge_once(Lenient(), tmp_path)

    assert found["correctness"].value == 5.0
    assert found["relevancy"].value is None
    assert "were discarded: beside the point: " in found["relevancy"].reason


def test_only_what_counts_is_remembered(tmp_path: Path) -> None:
    judge_once(Lenient(), tmp_path)
    judge = Lenient()

    judge_once(judge, tmp_path)

    with Cache(tmp_path / "cache.sqlite") as cache:
        output = output_factory(answer="Yes.")
        key = judgement_hash(judge.fingerprint, sample_factory("q"), output)
        kept = cache.judgements([key])[key]
    assert "correctness" in kept
    assert "relevancy" not in kept


class Forgetful(Sorting):
    """A judge that gives no valid reply the first times that it is asked about an answer."""

    def __init__(self, failures: int) -> None:
        super().__init__()
        self.failures = failures

    async def __call__(
        self, criteria: Sequence[str], sample: Sample, output: SystemOutput
    ) -> dict[str, Score]:
        lost = not every_canary().get(sample.id) and "citation_precision" not in criteria
        if lost and self.failures:
            self.failures -= 1
            return {name: unscored(name, "no valid reply") for name in criteria}
        return await super().__call__(criteria, sample, output)


@pytest.mark.parametrize(("failures", "value"), [(0, 1.0), (1, 1.0), (2, 1.0), (3, None)])
def test_an_answer_without_a_score_is_judged_up_to_twice_more(
    tmp_path: Path, failures: int, value: float | None
) -> None:
    judge = Forgetful(failures)
    samples = [sample_factory("q")]

    found = judge_all(judge, tmp_path, samples, tries=3)[0]

    assert found["relevancy"].value == value
    assert len(judge.asked) <= 1  # what has its score is not asked for again


def test_a_judge_that_gives_half_of_the_answers_no_score_is_not_asked_again(
    tmp_path: Path,
) -> None:
    judge = Forgetful(3)
    samples = [sample_factory(f"q{number}").amended(query=f"{number}?") for number in range(4)]

    found = judge_all(judge, tmp_path, samples, tries=3)

    assert sum(each["relevancy"].value is None for each in found) == 3
