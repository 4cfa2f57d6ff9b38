"""The figures of the manual's worked examples."""

from __future__ import annotations

import pytest

from tests.unit.metrics.metric_factories import aggregate, answered, asked, judged, retrieved, value


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("hit_rate@2", "1.000"),
        ("mrr", "0.500"),
        ("recall@4", "0.667"),
        ("precision@4", "0.500"),
        ("precision@10", "0.200"),
        ("map", "0.333"),
        ("r_precision", "0.333"),
        ("judged@4", "0.750"),
        ("ndcg@4", "0.355"),
    ],
)
def test_the_example_of_retrieval(name: str, printed: str) -> None:
    sample = judged(a=2, b=1, c=3, d=0)

    assert f"{value(name, sample, retrieved('x', 'a', 'x', 'd', 'b')):.3f}" == printed


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("exact_match", "0.000"),
        ("contains", "0.000"),
        ("token_f1", "0.667"),
        ("rouge_l", "0.588"),
        ("number_recall", "1.000"),
        ("reference_recall", "0.667"),
    ],
)
def test_the_example_of_a_reference(name: str, printed: str) -> None:
    sample = asked("It ends with exit code 3 and names the command.")

    assert f"{value(name, sample, answered('The gate ends with exit code 3 [1].')):.3f}" == printed


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("lexical_support", 0.5),
        ("word_precision", 3 / 4),
        ("entity_support", 1.0),
        ("number_unit_support", 1.0),
        ("polarity", 1.0),
        ("unsupported_numbers", 0.0),
        ("citation_validity", 0.5),
        ("citation_coverage", 0.5),
        ("citation_support", 0.5),
        ("quote_fidelity", 1.0),
    ],
)
def test_the_example_of_grounding(name: str, expected: float) -> None:
    answer = "The Moon orbits the Earth [1]. It is 238,855 miles away [2]."
    output = answered(answer, "The Moon orbits the Earth at 384,400 km.")

    assert value(name, asked(query="How far is the Moon?"), output) == expected


def test_the_example_of_refusals() -> None:
    refusal, answer = answered("I don't know."), answered("It is so.")
    unanswerable = asked(answerable=False)
    pairs = [
        *[(unanswerable, refusal)] * 2,
        (unanswerable, answer),
        (asked(), refusal),
        *[(asked(), answer)] * 6,
    ]

    assert f"{aggregate('refusal_f1', pairs).value:.3f}" == "0.667"
