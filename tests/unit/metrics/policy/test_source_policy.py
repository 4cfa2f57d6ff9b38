"""source_policy by hand."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragate.models import Sample, ScoreState, SystemOutput
from tests.unit.metrics.metric_factories import answered, asked, broken, retrieved, score, value
from tests.unit.metrics.policy.policy_factories import policy, wants

CONTEXT = "Refunds end 30 days after the purchase. Shoes can be sent back unworn."


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Refunds end 30 days after the purchase.", 1.0),
        ("Refunds end 30 days after the purchase [1]. Shoes can be sent back unworn.", 1.0),
        ('The page says: "Refunds end 30 days after the purchase" [1].', 1.0),
        ("You get nothing back later.", 0.0),
        ("Refunds end 30 days after the purchase. So be quick!", 0.5),
        ('The page says "refunds end 30 days" and I say that you can get it all back later.', 0.0),
        ('It says: "Refunds never end at all".', 0.0),
        ('It says "refunds end 30 days" and "shoes are never back".', 0.0),
    ],
)
def test_quote_only_counts_sentences_that_are_quotations(answer: str, expected: float) -> None:
    assert value("source_policy", policy(form="quote_only"), answered(answer, CONTEXT)) == expected


def test_the_words_around_a_quotation_are_a_key() -> None:
    sample, output = policy(form="quote_only"), answered('It is "refunds end 30 days".', CONTEXT)

    assert value("source_policy", sample, output, settings={"lead_in": 2}) == 1.0
    assert value("source_policy", sample, output, settings={"lead_in": 1}) == 0.0


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Send it back within a month.", 1.0),
        ("Refunds end 30 days, they say.", 1.0),
        ("Refunds end 30 days after the purchase.", 0.0),
        ("Mind you: refunds end 30 days after the purchase!", 1 - 7 / 9),
    ],
)
def test_summarise_counts_words_that_are_not_copied(answer: str, expected: float) -> None:
    sample, output = policy(form="summarise"), answered(answer, CONTEXT)

    assert value("source_policy", sample, output, settings={"longest_copy": 6}) == pytest.approx(
        expected
    )


def test_a_copy_is_named() -> None:
    result = score(
        "source_policy",
        policy(form="summarise"),
        answered(CONTEXT, CONTEXT),
        settings={"longest_copy": 4},
    )

    assert (result.value, result.reason) == (0.0, "copied: refunds end 30 days after")


def test_a_copy_over_two_contexts_is_none() -> None:
    output = answered("one two three four", "one two", "three four")

    assert (
        value("source_policy", policy(form="summarise"), output, settings={"longest_copy": 3})
        == 1.0
    )


@pytest.mark.parametrize("form", ["quote_only", "summarise"])
def test_a_form_needs_something_to_rest_on(form: str) -> None:
    result = score("source_policy", policy(form=form), answered("x"))

    assert (result.value, result.reason) == (0.0, "nothing was retrieved")
    textless = score("source_policy", policy(form=form), retrieved("a").amended(answer="x"))
    assert textless.state is ScoreState.UNSCORED


@settings(deadline=None, max_examples=50)
@given(words=st.lists(st.sampled_from(["a1", "b2", "c3", "d4"]), min_size=4, max_size=12))
def test_a_whole_copy_is_the_best_quotation_and_the_worst_summary(words: list[str]) -> None:
    output = answered(" ".join(words), "x " + " ".join(words) + " y")

    assert value("source_policy", policy(form="quote_only"), output) == 1.0
    summary = value("source_policy", policy(form="summarise"), output, settings={"longest_copy": 3})
    assert summary == 0.0


@pytest.mark.parametrize(
    ("name", "sample", "reason"),
    [
        ("answer_keywords", asked(), "no keywords"),
        ("source_policy", asked(), "no form in a source policy"),
        ("source_policy", policy(forbidden=("a",)), "no form in a source policy"),
        ("allowed_sources", asked(), "no allowed or forbidden sources"),
        ("allowed_sources", policy(form="quote_only"), "no allowed or forbidden sources"),
        ("answer_keywords", wants("a").amended(answerable=False), "unanswerable question"),
    ],
)
def test_a_sample_that_asks_nothing_is_not_applicable(
    name: str, sample: Sample, reason: str
) -> None:
    for output in (answered("x", "y"), broken(), SystemOutput()):
        result = score(name, sample, output)

        assert (result.state, result.reason) == (ScoreState.NOT_APPLICABLE, reason)
