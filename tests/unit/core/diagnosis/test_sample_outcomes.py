from __future__ import annotations

from typing import Any

import pytest

from ragate.core.diagnosis.sample_change import sample_outcomes
from ragate.models import Rule, SampleOutcome
from tests.factories import output_factory, record_factory, sample_factory
from tests.unit.core.scorecard.card_factories import INFOS

MARKED = [Rule(metric="token_f1", pass_at=0.5), Rule(metric="recall@5", pass_at=1.0)]
SAMPLE = sample_factory()


def outcome(
    *after: dict[str, Any], rules: list[Rule] = MARKED, before: float | None = 1.0
) -> SampleOutcome:
    output = output_factory(latency_s=2.0)
    records = [record_factory(SAMPLE, output, run=n, scores=row) for n, row in enumerate(after)]
    old = [record_factory(SAMPLE, scores={"token_f1": before})]
    (found,) = sample_outcomes([SAMPLE], {"q001": old}, {"q001": records}, rules, INFOS)
    return found


def test_a_sample_passes_where_every_mark_is_reached() -> None:
    assert outcome({"token_f1": 0.5, "recall@5": 1.0}) == SampleOutcome(
        "q001", True, True, {"token_f1": 0.5, "recall@5": 1.0}, 2.0
    )
    assert outcome({"token_f1": 0.5, "recall@5": 0.5}).passes is False


def test_with_a_scorecard_its_word_counts_alone() -> None:
    rules = [*MARKED, Rule(metric="pass_rate", pass_at=1.0)]

    assert outcome({"token_f1": 0.0, "pass_rate": 1.0}, rules=rules).passes is True


def test_most_runs_decide_and_scores_are_means() -> None:
    found = outcome({"token_f1": 1.0}, {"token_f1": 1.0}, {"token_f1": 0.1})

    assert found.passes is True
    assert found.scores["token_f1"] == pytest.approx(0.7)


def test_what_was_not_scored_neither_passes_nor_fails() -> None:
    found = outcome({"token_f1": None}, before=None)

    assert (found.passes, found.passed, found.scores) == (None, None, {"token_f1": None})


def test_those_that_fail_come_first_and_others_keep_their_order() -> None:
    samples = [sample_factory(f"q{n}") for n in range(3)]
    runs = {
        s.id: [record_factory(s, scores={"token_f1": v})]
        for s, v in zip(samples, (1.0, 0.0, 1.0), strict=True)
    }

    found = list(sample_outcomes(samples, {}, runs, MARKED, INFOS))

    assert [each.sample_id for each in found] == ["q1", "q0", "q2"]
    assert found[0].passed is None
