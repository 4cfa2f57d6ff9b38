"""What a sample or a policy asks of an answer, by hand."""

from __future__ import annotations

import time
from fnmatch import fnmatchcase
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragate.errors import ConfigError
from ragate.metrics import policy as family
from ragate.models import Reads, Sample, ScoreState, SourcePolicy, SystemOutput
from tests.unit.metrics.metric_factories import (
    answered,
    asked,
    broken,
    make,
    retrieved,
    score,
    value,
)


def wants(*keywords: str | tuple[str, ...]) -> Sample:
    groups = tuple((one,) if isinstance(one, str) else one for one in keywords)
    return asked().amended(answer_keywords=groups)


def policy(**fields: Any) -> Sample:
    return asked().amended(source_policy=SourcePolicy(**fields))


KEYWORDS = "answer_keywords"


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Revenue was $383 billion in 2024 [1].", 1.0),
        ("REVENUE was 383 billion.", 3 / 4),
        ("Revenues were 383.3 billion.", 1 / 4),
        ("I like turtles.", 0.0),
        ("[383] [2024]", 1 / 2),
        ("[2024]", 1 / 4),
    ],
)
def test_keywords_are_counted_as_whole_words(answer: str, expected: float) -> None:
    assert value(KEYWORDS, wants("revenue", "383", "billion", "2024"), answered(answer)) == expected


def test_a_citation_marker_is_no_keyword() -> None:
    assert value(KEYWORDS, wants("1"), answered("It is so [1].")) == 0.0


def test_any_spelling_of_a_keyword_counts() -> None:
    sample = wants(("revenue", "sales"), "up")

    assert value(KEYWORDS, sample, answered("Sales went up.")) == 1.0


def test_part_finds_a_keyword_inside_of_words() -> None:
    sample, output = wants("383", "revenue"), answered("Revenues: 383.3")

    assert value(KEYWORDS, sample, output) == 0.0
    assert value(KEYWORDS, sample, output, settings={"match": "part"}) == 1.0


@pytest.mark.parametrize("match", ["words", "part"])
def test_width_and_what_nobody_sees_do_not_count(match: str) -> None:
    sample = wants("24 hours", "東京")
    output = answered("２４\u200b HOURS、東京まで")

    assert value(KEYWORDS, sample, output, settings={"match": match}) == 1.0


def test_what_is_missing_is_named() -> None:
    result = score(KEYWORDS, wants("moon", ("sun", "star")), answered("The moon."))

    assert (result.value, result.reason) == (0.5, "missing: sun")


@given(
    keywords=st.lists(st.sampled_from(["alpha", "beta", "4", "東京"]), min_size=1, unique=True),
    answer=st.lists(st.sampled_from(["alpha", "beta", "gamma", "4", "."]), max_size=8),
)
def test_more_words_never_lower_the_share_of_keywords(
    keywords: list[str], answer: list[str]
) -> None:
    sample = wants(*keywords)
    shorter = value(KEYWORDS, sample, answered(" ".join(["x", *answer])))

    assert value(KEYWORDS, sample, answered(" ".join(["x", *answer, "beta"]))) >= shorter
    assert value(KEYWORDS, sample, answered(" ".join(keywords))) == 1.0


@pytest.mark.parametrize(
    ("documents", "expected", "reason"),
    [
        ((), 1.0, ""),
        (("handbook/a.md", "faq.md"), 1.0, ""),
        (("handbook/a.md", "x.md"), 0.0, "not among the allowed: x.md"),
        (("handbook/secret/a.md",), 0.0, "forbidden: handbook/secret/a.md"),
        (
            ("handbook/secret/a.md", "x.md"),
            0.0,
            "forbidden: handbook/secret/a.md; not among the allowed: x.md",
        ),
    ],
)
def test_what_may_not_be_retrieved_is_named(
    documents: tuple[str, ...], expected: float, reason: str
) -> None:
    sample = policy(allowed=("handbook/*", "faq.md"), forbidden=("handbook/secret/*",))

    result = score("allowed_sources", sample, retrieved(*documents))

    assert (result.value, result.reason) == (expected, reason)


def test_what_a_reranker_dropped_was_read_too() -> None:
    output = retrieved("a").amended(first_stage=("a", "secret"))

    assert value("allowed_sources", policy(forbidden=("secret",)), output) == 0.0


@pytest.mark.parametrize("doc_id", ["a[1].md", "a.md?x=1", "a+b (c).md", "^a$", "a|b"])
def test_signs_of_an_id_mean_themselves(doc_id: str) -> None:
    only = policy(allowed=(doc_id,))

    assert value("allowed_sources", only, retrieved(doc_id)) == 1.0
    assert value("allowed_sources", only, retrieved(doc_id + "x")) == 0.0
    assert value("allowed_sources", only, retrieved("b")) == 0.0


@given(pattern=st.text("ab*", max_size=6), doc_id=st.text("ab", min_size=1, max_size=6))
def test_stars_mean_what_they_mean_in_the_standard_library(pattern: str, doc_id: str) -> None:
    sample = policy(forbidden=("x", pattern))
    found = value("allowed_sources", sample, retrieved(doc_id)) == 0.0

    assert found is fnmatchcase(doc_id, pattern)


def test_a_star_holds_no_process_up() -> None:
    sample = policy(forbidden=("*a" * 12 + "*b",))
    start = time.process_time()

    assert value("allowed_sources", sample, retrieved("a" * 40)) == 1.0
    assert time.process_time() - start < 1


def test_forbidden_sources_hold_for_unanswerable_questions() -> None:
    sample = policy(forbidden=("secret",)).amended(answerable=False)

    assert value("allowed_sources", sample, retrieved("secret")) == 0.0
    assert make("allowed_sources").info.reads is Reads.RETRIEVAL


PATTERNS = {"forbidden": {"phone": r"\+\d{6,}"}, "required": {"notice": "not legal advice"}}


@pytest.mark.parametrize(
    ("answer", "expected", "reason"),
    [
        ("Sue them. This is NOT legal advice.", 1.0, ""),
        ("Sue them.", 0.5, "lacks notice"),
        ("Call \uff0b49\u200b123456.", 0.0, "holds phone, lacks notice"),
    ],
)
def test_patterns_are_named_where_an_answer_breaks_them(
    answer: str, expected: float, reason: str
) -> None:
    result = score("policy_patterns", asked(), answered(answer), settings=PATTERNS)

    assert (result.value, result.reason) == (expected, reason)


def test_nothing_is_required_of_a_refusal() -> None:
    unanswerable = asked(answerable=False)
    only_required = {"required": PATTERNS["required"]}

    assert value("policy_patterns", unanswerable, answered("No."), settings=PATTERNS) == 1.0
    result = score("policy_patterns", unanswerable, answered("No."), settings=only_required)
    assert result.state is ScoreState.NOT_APPLICABLE


def test_a_pattern_without_end_leaves_the_answer_unscored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(family, "TIMEOUT_S", 0.05)
    settings = {"forbidden": {"slow": r"^(a|a|aa)+$"}}

    result = score("policy_patterns", asked(), answered("a" * 60 + "b"), settings=settings)

    assert result.state is ScoreState.UNSCORED
    assert "took longer" in result.reason


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"forbidden": {"x": "(a"}}, r"'\(a' is no regular expression"),
        ({"forbidden": {"x": ""}}, r"forbidden\]: x"),
        ({"forbidden": ["a"]}, "forbidden"),
    ],
)
def test_what_is_no_pattern_is_an_error(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        make("policy_patterns", settings=settings)


def test_without_a_pattern_the_metric_cannot_be_named() -> None:
    assert "neither" in make("policy_patterns").unusable


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
