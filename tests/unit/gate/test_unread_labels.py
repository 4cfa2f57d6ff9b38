"""A golden set that has gained what no metric reads."""

from __future__ import annotations

from ragate.gate.unread_labels import unread_labels
from ragate.models import Sample

SAMPLES = [
    Sample(id="a", query="A?", references=("A.",), relevant={"d": 1}),
    Sample(id="b", query="B?", references=("B.",)),
    Sample(id="c", query="C?", answerable=False),
]


def test_what_no_metric_reads_is_named_with_one_that_would() -> None:
    assert unread_labels(SAMPLES, ["word_precision", "error_rate"]) == [
        "1 of 3 questions have expected documents, which no metric reads: recall@10 would",
        "2 of 3 questions have a reference, which no metric reads: idf_f1 would",
        "1 of 3 questions have no answer, which no metric reads: refusal_recall would",
    ]


def test_what_is_read_is_not_named() -> None:
    assert unread_labels(SAMPLES, ["ndcg@5", "token_f1", "false_refusal"]) == []
    assert unread_labels(SAMPLES, ["ndcg@5", "correctness", "refusal_f1"]) == []
    assert unread_labels([SAMPLES[0].model_copy(update={"relevant": {}})], ["idf_f1"]) == []


def test_scores_of_another_evaluator_are_not_told_what_to_read() -> None:
    assert unread_labels(SAMPLES, ["answer_relevance", "error_rate", "latency_p95"]) == []
