"""What is said to be done, by who writes the answers."""

from __future__ import annotations

import pytest

from ragate.core.diagnosis.advice import advice_for
from ragate.core.diagnosis.symptoms import symptoms
from ragate.core.diagnosis.system_changes import SystemChanges
from ragate.models import CauseKind, Direction, MetricRow, MetricVerdict, SampleSide
from tests.unit.core.diagnosis.symptom_factories import LOST, flipped, row

EXTRACTIVE = SystemChanges(has_model=False)


@pytest.mark.parametrize(
    "fallen_rows",
    [
        [row("lexical_support", 0.6, -0.2, verdict=MetricVerdict.REGRESSED)],
        [row("relevancy", 0.6)],
        [row("correctness_binary", 0.5)],
        [row("idf_f1", 0.5, -0.2, verdict=MetricVerdict.REGRESSED)],
        [row("false_refusal", 0.1, 0.05, direction=Direction.LOWER)],
        [row("refusal_recall", 0.9, -0.05)],
        [row("citation_validity", 0.9, -0.05)],
    ],
)
def test_where_no_model_writes_nothing_is_said_of_models_and_prompts(fallen_rows: list[MetricRow]):
    kinds = (CauseKind.RETRIEVAL, CauseKind.GENERATION, CauseKind.DATA)
    said = [
        one
        for kind in kinds
        for one in symptoms(
            [*fallen_rows, *LOST],
            samples=[flipped(kind, number) for number in range(6)],
            changes=EXTRACTIVE,
        )
    ]

    assert len(said) >= 6
    for one in said:
        assert "prompt" not in f"{one.likely_cause} {one.action}"
        assert "model" not in f"{one.likely_cause} {one.action}"


def test_where_nothing_is_answered_retrieval_is_not_weighed_against_a_prompt():
    rows = [
        flipped(CauseKind.RETRIEVAL, number).amended(candidate=SampleSide()) for number in range(6)
    ]

    assert symptoms(LOST, samples=rows)[-1].action == (
        "look at what displaced the expected documents"
    )


@pytest.mark.parametrize("fallen", [row("hit_rate@5", 0.4), row("lexical_support", 0.4)])
def test_a_key_is_named_only_where_the_system_of_this_run_has_it(fallen: MetricRow):
    own, foreign = (
        "".join(one.action for one in symptoms([fallen], changes=changes))
        for changes in (SystemChanges(keys=frozenset({"top_k"})), SystemChanges())
    )

    assert "`top_k`" in own
    assert "top_k" not in foreign
    assert "let retrieval return more" in foreign or "pass it fewer contexts" in foreign


@pytest.mark.parametrize("has_model", [True, False, None])
@pytest.mark.parametrize("answered", [True, False])
def test_no_advice_names_top_k_where_it_is_no_key(has_model: bool | None, answered: bool):
    assert "top_k" not in str(advice_for(has_model=has_model, answered=answered))
