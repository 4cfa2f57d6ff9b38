"""Metrics on embeddings and checks of an answer in one call, beside the formulas as printed."""

from __future__ import annotations

import asyncio
import re

import numpy as np
import numpy.typing as npt
import pytest

import ragate
from ragate.embedders.hashing import HashingEmbedder, Settings
from ragate.errors import RagateError, UsageError

QUESTION = "Which orchard do the apples come from?"
REFERENCE = "The apples come from orchard seven"
ANSWER = "The apples come from orchard seven. Purple zebras painted the sky. The pears are ripe!"
CONTEXTS = [
    "The apples come from orchard seven near the river",
    "Which orchard do the apples come from? They come from orchard seven.",
    "Unrelated words about ships",
]
HASHING = {"use": "hashing"}
Vector = npt.NDArray[np.float64]


def embedded(texts: list[str]) -> list[Vector]:
    rows = asyncio.run(HashingEmbedder(Settings())(texts))
    return [np.asarray(row, dtype=np.float64) for row in rows]


def cosine(a: Vector, b: Vector) -> float:
    return float(np.dot(a, b) / (np.linalg.norm(a) * np.linalg.norm(b) + 1e-10))


def as_printed(sufficient: float = 0.5, supported: float = 0.4) -> dict[str, float]:
    """Return the figures of the five formulas, each text embedded as it stands."""
    question, reference, answer, *contexts = embedded([QUESTION, REFERENCE, ANSWER, *CONTEXTS])
    near = [cosine(question, context) for context in contexts]
    sentences = embedded([part.strip() for part in re.split(r"[.!?]", ANSWER) if part.strip()])
    best = [max(cosine(one, context) for context in contexts) for one in sentences]
    return {
        "context_relevance": sum(near) / len(near),
        "context_sufficiency": sum(one >= sufficient for one in near) / len(near),
        "answer_relevance": cosine(answer, reference),
        "answer_correctness": cosine(answer, reference),
        "answer_hallucination": sum(one < supported for one in best) / len(best),
    }


def test_the_figures_are_those_of_the_formulas():
    figures = ragate.evaluate_all(QUESTION, ANSWER, REFERENCE, CONTEXTS, embedder=HASHING)

    assert figures == pytest.approx(as_printed(), abs=1e-6)
    assert figures["answer_hallucination"] == pytest.approx(2 / 3)


def test_both_thresholds_can_be_given():
    figures = ragate.evaluate_all(
        QUESTION, ANSWER, REFERENCE, CONTEXTS, thresholds=(0.9, 0.05), embedder=HASHING
    )

    assert figures == pytest.approx(as_printed(0.9, 0.05), abs=1e-6)


def test_an_empty_answer_leaves_the_metrics_of_contexts_alone():
    figures = ragate.evaluate_all(QUESTION, "", REFERENCE, CONTEXTS, embedder=HASHING)
    whole = as_printed()

    assert figures["context_relevance"] == pytest.approx(whole["context_relevance"], abs=1e-6)
    assert figures["context_sufficiency"] == pytest.approx(whole["context_sufficiency"], abs=1e-6)
    assert figures["answer_correctness"] == 0.0
    assert figures["answer_hallucination"] == 1.0


def test_without_contexts_there_is_no_relevance_and_everything_is_made_up():
    figures = ragate.evaluate_all(QUESTION, ANSWER, REFERENCE, [], embedder=HASHING)

    assert (figures["context_relevance"], figures["answer_hallucination"]) == (0.0, 1.0)


def test_without_a_reference_nothing_is_said_of_correctness():
    figures = ragate.evaluate_all(QUESTION, ANSWER, "", CONTEXTS, embedder=HASHING)

    assert figures["answer_correctness"] is None


def test_an_embedder_that_is_out_is_an_error_and_no_figure(monkeypatch):
    async def out(self: HashingEmbedder, texts: list[str]) -> None:
        raise RuntimeError("the model is gone")

    monkeypatch.setattr(HashingEmbedder, "__call__", out)

    with pytest.raises(RagateError, match="the model is gone"):
        ragate.evaluate_all(QUESTION, ANSWER, REFERENCE, CONTEXTS, embedder=HASHING)


def failed(**changes: object) -> list[str]:
    """Return the checks that a good answer with these changes fails."""
    arguments = {
        "question": "How long do refunds take?",
        "answer": "Refunds take 30 days [1].",
        "contexts": ["Refunds take 30 days."],
        "retrieval_scores": [0.9],
    }
    assessed = ragate.assess_answer(**(arguments | changes))  # type: ignore[arg-type]
    return [name for name, stage in assessed.stages.items() if stage.passed is False]


@pytest.mark.parametrize(
    ("changes", "check"),
    [
        ({"answer": "Refunds take 30 days."}, "has_citations"),
        ({"answer": "Unable to generate an answer [1]."}, "no_fallback"),
        ({"retrieval_scores": [0.1]}, "min_retrieval_score"),
        ({"question": "List all fees.", "answer": "A fee and more [1]."}, "list_structure"),
    ],
)
def test_each_check_fails_by_itself(changes, check):
    assert failed() == []
    assert failed(**changes) == [check]


def test_an_empty_answer_and_missing_contexts_are_checks_too():
    assert "not_empty" in failed(answer="")
    assert "has_contexts" not in failed(answer="")
    assert "has_contexts" in failed(contexts=[], retrieval_scores=[])


def test_an_assessment_passes_as_a_whole_and_says_what_failed():
    good = ragate.assess_answer("How long?", "30 days [1].", ["It takes 30 days."])
    bad = ragate.assess_answer("How long?", "30 days.", ["It takes 30 days."])

    assert (good.passed, good.overall_score, good.reason) == (True, 1.0, "")
    assert (bad.passed, bad.reason) == (False, "failed: has_citations")
    assert "min_retrieval_score" not in good.stages


def test_scores_that_are_not_those_of_the_contexts_are_an_error():
    with pytest.raises(UsageError, match="2 retrieval_scores for 1 contexts"):
        ragate.assess_answer("How long?", "30 days [1].", ["It takes 30 days."], [0.9, 0.8])
