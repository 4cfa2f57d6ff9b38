"""Symptoms of the run rather than of an answer."""

from __future__ import annotations

from ragate.core.diagnosis.system_changes import Stage, SystemChanges, SystemDifference
from ragate.core.symptoms.symptoms import symptoms
from ragate.models import CauseKind, Diagnosis, MetricVerdict
from tests.unit.core.symptoms.symptom_factories import LOST, flipped, row


def test_the_most_frequent_reason_for_missing_scores_is_named():
    missing = row(
        "faithfulness", 0.9, n=40, unscored_candidate=10, unscored_reasons={"a": 1, "timeout": 9}
    )

    assert symptoms([missing])[0].likely_cause == "timeout"


def test_where_most_flips_came_from_is_said():
    rows = [flipped(CauseKind.RETRIEVAL, number) for number in range(4)]

    assert symptoms(LOST, samples=[*rows, flipped(CauseKind.JUDGE, 9)]) == (
        Diagnosis(
            symptom="4 of the 5 samples that got worse: retrieval",
            likely_cause="the change made retrieval worse",
            action="look at what displaced the expected documents before touching the prompt",
        ),
    )
    assert symptoms(LOST, samples=rows) == ()
    unknown = [flipped(CauseKind.UNKNOWN, number) for number in range(9)]
    assert symptoms(LOST, samples=unknown) == ()


def test_what_changed_in_the_system_is_the_first_symptom_where_a_metric_was_lost():
    changes = SystemChanges((SystemDifference(Stage.CONTEXTS, "top_k 10 -> 5"),), comparable=True)
    low = row("hit_rate@5", 0.4)

    assert symptoms([low, *LOST], changes=changes)[0].symptom == (
        "the system is not the baseline's: top_k 10 -> 5"
    )
    assert "top_k 10" not in symptoms([low], changes=changes)[0].symptom


def test_answers_that_change_by_themselves_point_to_nothing():
    steady = [row("token_f1", 0.9, verdict=MetricVerdict.HELD)]
    rows = [flipped(CauseKind.GENERATION, number) for number in range(6)]
    drifted = [flipped(CauseKind.DRIFT, number) for number in range(6)]

    assert symptoms(steady, samples=rows) == ()
    assert len(symptoms(steady, samples=drifted)) == 1
    exact = row("ndcg@10", 0.9, -0.001, exact=True, worse=3, better=1)
    assert len(symptoms([exact], samples=rows)) == 1
