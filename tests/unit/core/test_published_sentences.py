"""Sentences of a verdict: the words of others are cut, and ours cannot be blanked by them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ragate.core.comparison.compare import compare
from ragate.core.published_sentences import OVER_THE_RUN, WITHHELD, PublishedSentences
from ragate.models import MetricVerdict, Rule
from tests.factories import metric_row_factory
from tests.unit.core.decision_factories import judge, run_of, samples_of

SECRET = "refused the prompt: canary-text"
RED = "recall@5 fell by 0.200: 0.010 is allowed"


def test_why_scores_are_missing_is_cut_from_the_verdict_although_no_row_lists_it() -> None:
    samples = samples_of(10)
    whole = run_of({"faithfulness": [[1.0]] * 10}, samples)
    holes = run_of({"faithfulness": [[None]] * 10}, samples, words="after")
    records = [
        record.amended(scores={k: replace(s, reason=SECRET) for k, s in record.scores.items()})
        for record in holes.records
    ]
    decision = judge(
        compare(whole, holes.amended(records=records), samples), Rule(metric="faithfulness")
    )
    assert SECRET in decision.reasons[0]

    [said] = PublishedSentences(decision.rows, ()).all_of(decision.reasons[:1])

    assert said == (
        "faithfulness: 100.0% of the candidate's scores are missing; 20.0% is allowed: "
        "(not published)"
    )


@pytest.mark.parametrize("phrase", ["no affected sample could be measured", "the judge stopped"])
def test_a_message_is_cut_behind_the_phrase_that_quotes_it(phrase: str) -> None:
    said = PublishedSentences((), ()).clean(f"{phrase}: refused\nprompt: {SECRET}")

    assert said == f"{phrase}: {WITHHELD}"


def test_a_metric_over_the_whole_run_does_not_give_its_own_reason_away() -> None:
    row = metric_row_factory(
        "tokens", None, None, MetricVerdict.NOT_MEASURED, aggregate=True, reason=SECRET
    )
    sentences = PublishedSentences([row], ())

    assert sentences.clean(SECRET) == "tokens was not measured: (not published)"
    assert sentences.row(row).reason == "tokens was not measured: (not published)"


@pytest.mark.parametrize(
    "text", ["fell by", "recall@5", "allowed", "0.010 is allowed", RED, "is allowed"]
)
def test_no_answer_or_message_blanks_words_of_a_red_verdict(text: str) -> None:
    row = metric_row_factory("recall@5", blocks=True, reason=RED)

    assert PublishedSentences([row], [text]).clean(RED) == RED
    assert PublishedSentences([row], [text]).row(row).reason == RED


def test_no_message_blanks_why_a_must_pass_sample_is_red() -> None:
    said = "must-pass q1: token_f1 missed its pass mark 0.500 in 2 of 2 tries"
    message = "token_f1 missed its pass mark 0.500 in 2 of 2 tries"

    assert PublishedSentences((), [message]).clean(said) == said


@pytest.mark.parametrize("quoted", ['"{}" is odd', "'{}' is odd", "q1 failed: {}"])
def test_a_text_is_taken_out_where_a_sentence_quotes_it(quoted: str) -> None:
    said = PublishedSentences((), ["canary"]).clean(quoted.format("canary"))

    assert "canary" not in said
    assert WITHHELD in said


def test_what_a_metric_says_of_its_value_over_the_run_is_cut_off() -> None:
    row = metric_row_factory("tone", aggregate=True, reason=f"{OVER_THE_RUN}; {SECRET}")

    assert PublishedSentences([row], ()).row(row).reason == OVER_THE_RUN
