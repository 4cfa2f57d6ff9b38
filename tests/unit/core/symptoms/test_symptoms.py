from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragate.core.symptoms.symptoms import symptoms
from ragate.models import Direction, MetricRow, MetricVerdict
from tests.unit.core.symptoms.symptom_factories import found, row


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
