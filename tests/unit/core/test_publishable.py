"""What leaves the machine, looked for as a secret word in each text a report can hold."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ragate.core.comparison.compare import compare
from ragate.core.diagnosis.symptoms import symptoms
from ragate.core.publishable import (
    KEPT,
    OVER_THE_RUN,
    WITHHELD,
    PublishedSentences,
    publishable,
)
from ragate.models import (
    AnsweredQuestion,
    Filters,
    MetricVerdict,
    PassGroup,
    PassShare,
    Publish,
    Report,
    RetrievedChunk,
    Rule,
    RunDetails,
    SampleEvidence,
    SampleScores,
    ScoreChange,
    SideEvidence,
    Turn,
    Verdict,
    unscored,
)
from tests.factories import (
    decision_factory,
    metric_row_factory,
    report_factory,
    sample_row_factory,
)
from tests.unit.core.decision_factories import judge, run_of, samples_of

QUESTION, TURN, OLD, NEW = "canary-question", "canary-turn", "canary-was", "canary-now"
REFERENCE, JUDGED, FAILURE = "canary-reference", "canary-judged", "canary-failure"
PASSAGE = "canary-passage"
TEXTS = (QUESTION, TURN, OLD, NEW, REFERENCE, JUDGED, FAILURE)

CLEANED = (
    "filters",
    "decision",
    "samples",
    "questions",
    "pass_groups",
    "diagnosis",
    "details",
    "system",
    "baseline_system",
    "settings",
    "origin",
)
SECRET = "refused the prompt: canary-text"
RED = "recall@5 fell by 0.200: 0.010 is allowed"


def report_of_texts(publish: Publish) -> Report:
    row = sample_row_factory(
        "q1",
        QUESTION,
        docs=(["a.md"], ["b.md"]),
        answers=(OLD, NEW),
        evidence=f"the answer now says {NEW!r}, which no retrieved chunk holds",
        displaced_by=["b.md"],
    )
    score = ScoreChange(metric="faithfulness", before=1.0, after=0.0, reason=JUDGED)
    row = row.amended(
        messages=(Turn(role="user", content=TURN),), references=(REFERENCE,), scores=(score,)
    )
    assert row.candidate is not None
    failed = row.amended(sample_id="q2", candidate=row.candidate.amended(error=FAILURE))
    metric = metric_row_factory(
        unscored_candidate=2, unscored_reasons={FAILURE: 2}, reason=f"2 are missing: {FAILURE}"
    )
    decision = decision_factory(
        Verdict.FAILED, [metric], reasons=(f"q2: {FAILURE}",), warnings=(f"{NEW!r} is odd",)
    )
    asked = AnsweredQuestion(
        "q1",
        0,
        QUESTION,
        "FAIL",
        NEW,
        (),
        {"faithfulness": unscored("faithfulness", JUDGED)},
        error=FAILURE,
    )
    return report_factory(decision, samples=(row, failed), questions=(asked,), publish=publish)


def test_a_report_that_may_be_published_whole_stays_as_it_is() -> None:
    report = report_of_texts("full")

    assert publishable(report) is report


def test_answers_without_passages_keep_what_was_asked_and_answered() -> None:
    text = publishable(report_of_texts("answers")).model_dump_json()

    assert [word for word in TEXTS if word not in text] == [JUDGED]


def test_ids_hold_no_word_of_question_answer_reference_or_failure() -> None:
    text = publishable(report_of_texts("ids")).model_dump_json()

    assert not [word for word in TEXTS if word in text]


@pytest.mark.parametrize("publish", ["answers", "ids"])
def test_what_is_taken_out_changes_no_figure(publish: Publish) -> None:
    before, after = report_of_texts(publish), publishable(report_of_texts(publish))

    assert after.decision.verdict is before.decision.verdict
    assert [row.change for row in after.decision.metrics] == [
        row.change for row in before.decision.metrics
    ]
    assert [(row.sample_id, row.change, row.ranks) for row in after.samples] == [
        (row.sample_id, row.change, row.ranks) for row in before.samples
    ]
    assert all(row.candidate is not None and row.candidate.docs for row in after.samples)


def test_taking_out_twice_is_taking_out_once() -> None:
    once = publishable(report_of_texts("ids"))

    twice = publishable(once)
    assert twice.amended(questions=tuple(twice.questions)) == once.amended(
        questions=tuple(once.questions)
    )


def details_of_texts() -> RunDetails:
    chunk = RetrievedChunk(doc_id="a.md", text=PASSAGE)
    evidence = SampleEvidence(SideEvidence((chunk,)), SideEvidence((chunk,), latency_s=1.5))
    scores = SampleScores("q1", QUESTION, ("billing",), (1.0,), (0.0,))
    return RunDetails(("faithfulness",), (scores,), {"q1": evidence})


@pytest.mark.parametrize(
    ("publish", "gone"), [("answers", [PASSAGE]), ("ids", [PASSAGE, QUESTION])]
)
def test_what_a_page_shows_beside_is_held_to_the_same(publish: Publish, gone: list[str]) -> None:
    report = report_of_texts(publish).amended(details=details_of_texts())

    shown = publishable(report).details

    assert shown is not None
    assert [text for text in (PASSAGE, QUESTION) if text not in repr(shown)] == gone
    assert shown.samples[0].after == (0.0,)
    assert shown.evidence["q1"].after.latency_s == 1.5


@pytest.mark.parametrize("publish", ["full", "answers", "ids"])
def test_only_a_full_report_tells_who_passes_by_the_values_of_metadata(publish: Publish) -> None:
    share = PassShare(mark=1.0, n=2, candidate=0.5)
    groups = (
        PassGroup(kind="stage", name="retrieval", share=share, metric="recall@5", weight=0.0),
        PassGroup(kind="tag", name="billing", share=share),
        PassGroup(kind="source_type", name=PASSAGE, share=share),
        PassGroup(kind="stage", name=QUESTION, share=share),  # a field of that name
    )

    shown = publishable(report_of_texts(publish).amended(pass_groups=groups)).pass_groups

    assert shown == (groups if publish == "full" else groups[:2])


def test_every_field_of_a_report_is_named_as_kept_or_as_cleaned() -> None:
    assert sorted((*KEPT, *CLEANED)) == sorted(Report.model_fields)


@pytest.mark.parametrize("publish", ["answers", "ids"])
def test_a_field_that_nobody_named_stays_at_home(publish: Publish) -> None:
    class LaterReport(Report):
        remark: str = ""

    later = LaterReport(**dict(report_of_texts(publish)), remark=PASSAGE)

    assert PASSAGE not in publishable(later).model_dump_json()


@pytest.mark.parametrize("publish", ["answers", "ids"])
def test_the_diagnosis_of_what_was_not_measured_names_no_reason(publish: Publish) -> None:
    row = metric_row_factory(n=100, unscored_candidate=100, unscored_reasons={PASSAGE: 100})
    diagnosis = symptoms([row])
    assert PASSAGE in diagnosis[0].likely_cause
    report = report_factory(decision_factory(), diagnosis=diagnosis, publish=publish)

    shown = publishable(report)

    assert PASSAGE not in shown.model_dump_json()
    assert shown.diagnosis[0].symptom == diagnosis[0].symptom


@pytest.mark.parametrize("publish", ["answers", "ids"])
def test_answers_and_ids_hold_no_reason_of_a_missing_score(publish: Publish) -> None:
    missing = f"no affected sample could be measured: {PASSAGE}"
    row = metric_row_factory(unscored_candidate=2, unscored_reasons={PASSAGE: 2}, reason=missing)
    decision = decision_factory(Verdict.NO_DECISION, [row], reasons=(missing,))
    decision = decision.amended(warnings=(f"the judge stopped: {PASSAGE}",))
    report = report_factory(decision, publish=publish)

    assert PASSAGE not in publishable(report).model_dump_json()


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


@pytest.mark.parametrize("publish", ["answers", "ids"])
def test_what_was_set_for_a_run_is_told_without_its_texts(publish: Publish) -> None:
    given = ("top_k=3", "answer.model=gpt-5", f"answer.prompt={PASSAGE}")
    report = report_of_texts(publish).amended(filters=Filters(settings=given))

    shown = publishable(report).filters.settings

    assert shown == ("top_k=3", "answer.model=gpt-5", "answer.prompt=(not published)")
