"""Records of one tool, brought into the form that the names of a format can tell."""

import json
from typing import Any

import pytest

from ragate.scores import rewrites


@pytest.mark.parametrize("metric", ["metric", "metric_name", "score_name", "criterion"])
@pytest.mark.parametrize("score", ["score", "value"])
def test_a_row_of_one_metric_has_its_score_under_the_metrics_name(metric: str, score: str) -> None:
    row: dict[str, Any] = {"id": "q1", metric: "faithfulness", score: 0.5}

    assert rewrites.plain_names(row, {}) == [{"id": "q1", "scores": {"faithfulness": 0.5}}]


def test_a_row_with_a_number_for_a_metrics_name_or_without_a_score_stays_as_it_is() -> None:
    rows: list[dict[str, Any]] = [{"metric": 3, "score": 0.5}, {"metric": "faithfulness"}]

    assert [rewrites.plain_names(row, {}) for row in rows] == [[row] for row in rows]


def test_of_lm_eval_every_number_that_is_no_number_of_the_document_is_a_score() -> None:
    row = {"doc_id": 7, "acc": 1.0, "f1": 0.5, "task_version": 2, "doc": {"q": "Why?"}}

    (rewritten,) = rewrites.lm_eval(row, {})
    (filtered,) = rewrites.lm_eval({**row, "metrics": ["acc"], "filter": "strict"}, {})

    assert rewritten["scores"] == {"acc": 1.0, "f1": 0.5}
    assert filtered["scores"] == {"acc,strict": 1.0}


def test_a_trace_without_a_request_is_asked_what_its_root_span_is_asked() -> None:
    inner = {"parent_span_id": "1", "attributes": {"mlflow.spanInputs": '"inner"'}}
    said = {"mlflow.spanInputs": '{"question": "Why?"}', "mlflow.spanOutputs": '"So."'}
    root = {"parent_span_id": None, "attributes": said}

    (asked,) = rewrites.mlflow({"data": {"spans": [inner, root]}, "assessments": []}, {})
    (unknown,) = rewrites.mlflow({"data": {"spans": [inner]}, "assessments": []}, {})

    assert (asked["request"], asked["response"]) == ({"question": "Why?"}, "So.")
    assert (unknown["request"], unknown["response"]) == (None, None)


@pytest.mark.parametrize(
    ("value", "scores"),
    [
        (0.25, {"match": {"value": 0.25, "reason": "near"}}),
        ("C", {"match": {"value": 1.0, "reason": "near", "passed": True, "mark": 0.5}}),
        ("I", {"match": {"value": 0.0, "reason": "near", "passed": False, "mark": 0.5}}),
        (
            {"tone": 3, "facts": "P"},
            {
                "match.tone": {"value": 3, "reason": "near"},
                "match.facts": {"value": 0.5, "reason": "near", "passed": True, "mark": 0.5},
            },
        ),
    ],
    ids=str,
)
def test_a_score_of_inspect_is_a_number_a_letter_or_several(value: object, scores: object) -> None:
    row = {"target": "x", "scores": {"match": {"value": value, "explanation": "near"}}}

    assert rewrites.inspect(row, {})[0]["scores"] == scores


def test_the_variables_of_promptfoo_are_the_question() -> None:
    one = rewrites.promptfoo({"vars": {"query": "Why?"}, "latencyMs": 1500}, {})[0]
    several = rewrites.promptfoo({"vars": {"query": "Why?", "tone": "dry"}}, {})[0]

    assert (one["question"], one["latency_s"]) == ("Why?", 1.5)
    assert json.loads(several["question"]) == {"query": "Why?", "tone": "dry"}


@pytest.mark.parametrize(
    ("record", "failed"),
    [
        ({"error": "HTTP 500"}, "HTTP 500"),
        ({"error": "Expected days", "gradingResult": {"pass": False, "score": 0}}, ""),
        ({"error": "Expected days", "failureReason": 1}, ""),
        ({"error": "HTTP 500", "failureReason": 2, "gradingResult": None}, "HTTP 500"),
    ],
)
def test_an_error_of_promptfoo_without_a_grade_is_no_score(record: Any, failed: str) -> None:
    (row,) = rewrites.promptfoo({"score": 0, "success": False, **record}, {})

    assert row["failed"] == failed
