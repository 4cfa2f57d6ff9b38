"""What leaves the machine, looked for as a secret word in each text a report can hold."""

from __future__ import annotations

import pytest

from ragate.core.publishable import KEPT, UNREADABLE, publishable
from ragate.core.symptoms.symptoms import symptoms
from ragate.models import (
    AnsweredQuestion,
    PassGroup,
    PassShare,
    Proposed,
    Publish,
    Report,
    RetrievedChunk,
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

QUESTION, TURN, OLD, NEW = "canary-question", "canary-turn", "canary-was", "canary-now"
REFERENCE, JUDGED, FAILURE = "canary-reference", "canary-judged", "canary-failure"
PASSAGE = "canary-passage"
TEXTS = (QUESTION, TURN, OLD, NEW, REFERENCE, JUDGED, FAILURE)

CLEANED = (
    "decision",
    "samples",
    "questions",
    "pass_groups",
    "diagnosis",
    "proposed",
    "details",
    "system",
    "baseline_system",
    "settings",
    "origin",
    "lines",
)


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

    assert publishable(once) == once


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
    proposed = Proposed(verdict=Verdict.NO_DECISION, reasons=(missing,), metrics=(row,))
    proposed = proposed.amended(warnings=(f"the judge stopped: {PASSAGE}",))
    report = report_factory(decision, proposed=proposed, publish=publish)

    assert PASSAGE not in publishable(report).model_dump_json()


def test_ids_hold_nothing_of_why_the_rules_of_a_change_could_not_be_read() -> None:
    proposed = Proposed(note=f"evals/golden.jsonl:1: {REFERENCE!r} is no list")
    report = report_factory(decision_factory(), proposed=proposed, publish="ids")

    shown = publishable(report).proposed

    assert shown is not None
    assert shown.note == UNREADABLE
