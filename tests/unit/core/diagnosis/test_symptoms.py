"""Symptoms of the run rather than of an answer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragate.core.diagnosis.symptoms import symptoms
from ragate.core.diagnosis.system_changes import Stage, SystemChanges, SystemDifference
from ragate.models import CauseKind, Diagnosis, Direction, MetricRow, MetricVerdict
from tests.unit.core.diagnosis.symptom_factories import LOST, flipped, found, row


@pytest.mark.parametrize(
    ("rows", "symptom"),
    [
        ([row("hit_rate@10", 0.4)], "expected documents are missed"),
        ([row("recall@5", 0.4)], "expected documents are missed"),
        ([row("hit_rate@10", 0.9), row("mrr@10", 0.4)], "the right documents come late"),
        ([row("faithfulness", 0.6)], "answers say what the contexts do not"),
        ([row("relevancy", 0.6)], "answers miss the question"),
        (
            [row("faithfulness", 0.95), row("relevancy", 0.5)],
            "true to the contexts, beside the question",
        ),
        ([row("correctness_binary", 0.5)], "answers are right in part"),
        ([row("correctness", 3.0, unit="grade")], "answers are right in part"),
        ([row("error_rate", 0.1, direction=Direction.LOWER)], "the system fails"),
        ([row("false_refusal", 0.1, 0.05, direction=Direction.LOWER)], "refusals rise"),
        ([row("refusal_recall", 0.9, -0.05)], "unanswerable questions get answers"),
        ([row("citation_validity", 0.9, -0.05)], "citations fall"),
        ([row("citation_support", 0.9, -0.05)], "citations fall"),
        ([row("faithfulness", 0.9, n=40, unscored_candidate=10)], "much was not measured"),
    ],
)
def test_a_symptom_is_named(rows: list[MetricRow], symptom: str):
    assert found(*rows) == [symptom]


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [row("hit_rate@10", 0.9), row("mrr@10", 0.8)],
        [row("mrr@10", 0.4)],
        [row("correctness", 4.0, unit="grade")],
        [row("error_rate", 0.0, direction=Direction.LOWER)],
        [row("faithfulness", None)],
        [row("false_refusal", 0.1, -0.05, direction=Direction.LOWER)],
        [row("faithfulness", 0.9, n=98, unscored_candidate=2)],
    ],
)
def test_a_healthy_or_unmeasured_run_has_no_symptom(rows: list[MetricRow]):
    assert found(*rows) == []


def test_made_up_answers_to_the_right_question_say_so():
    (one,) = symptoms([row("faithfulness", 0.5), row("relevancy", 0.9)])

    assert one.likely_cause == "the model adds facts of its own to the right question"


def test_everything_low_points_to_the_corpus_alone():
    rows = [row("hit_rate@10", 0.3), row("faithfulness", 0.4), row("correctness_binary", 0.2)]

    assert found(*rows) == ["everything measured is low"]


names = st.sampled_from(
    ["hit_rate@5", "mrr", "faithfulness", "relevancy", "correctness", "error_rate", "false_refusal"]
)


@given(st.lists(st.builds(row, names, st.one_of(st.none(), st.floats(0, 1)))))
def test_any_rows_give_whole_sentences(rows: list[MetricRow]):
    for one in symptoms(rows):
        assert one.symptom
        assert one.likely_cause
        assert one.action


def test_made_up_numbers_alone_are_answers_beyond_the_contexts():
    numbers = row("unsupported_numbers", 0.4, direction=Direction.LOWER)

    assert found(row("lexical_support", 0.9), numbers) == ["answers say what the contexts do not"]
    assert found(row("lexical_support", 0.9), numbers.amended(candidate=0.2)) == []


def fallen(metric: str, mean: float) -> MetricRow:
    return row(metric, mean, -0.3, verdict=MetricVerdict.REGRESSED)


def test_without_a_judge_fallen_overlap_with_the_references_is_a_symptom():
    assert found(fallen("token_f1", 0.5)) == ["answers leave the references"]
    assert found(fallen("token_f1", 0.5), row("hit_rate@5", 0.9), row("lexical_support", 0.9)) == [
        "answers leave the references"
    ]


@pytest.mark.parametrize(
    "beside",
    [
        row("correctness", 4.5, unit="grade"),
        row("relevancy", 0.9),
        fallen("hit_rate@5", 0.6),
        fallen("lexical_support", 0.9),
    ],
)
def test_overlap_says_nothing_where_a_judge_or_another_stage_explains_more(beside: MetricRow):
    assert "answers leave the references" not in found(fallen("token_f1", 0.5), beside)
    assert found(row("token_f1", 0.3)) == []


def test_the_most_frequent_reason_for_missing_scores_is_named():
    late = "no verdict within 60 s"
    missing = row(
        "faithfulness", 0.9, n=40, unscored_candidate=10, unscored_reasons={"a": 1, late: 9}
    )

    assert symptoms([missing])[0].likely_cause == late
    assert "timeout_s" in symptoms([missing])[0].action


def test_a_judge_that_is_not_believed_is_not_told_to_wait_longer():
    reasons = {"the judge scored test answers wrongly": 10}
    void = row("faithfulness", None, n=40, unscored_candidate=40, unscored_reasons=reasons)

    assert symptoms([void])[0].action == "mend that first"


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
