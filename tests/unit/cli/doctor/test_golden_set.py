"""What doctor says of the golden set: its samples, their documents, and the metrics that apply."""

from __future__ import annotations

import pytest

from ragate import plugins
from ragate.cli.doctor import golden_set
from ragate.cli.finding import Status
from ragate.models import Rule
from ragate.pipeline.score.applicable import applicable
from tests.unit.cli.doctor.doctor_factories import said, sample, samples, statuses


def test_the_golden_set_is_counted() -> None:
    found = golden_set.golden_set(
        [
            *samples(28),
            sample("u1", relevant={}),
            sample("u2", relevant={}, answerable=False, must_pass=True),
        ],
        dataset="golden.jsonl",
    )

    assert statuses(found) == ["ok"]
    assert "30 samples, 1 unanswerable, 1 must-pass" in found[0].message
    assert "1 unjudged" in found[0].message
    assert "1 without a reference" in found[0].message


def test_two_samples_with_the_same_question_are_named_whatever_case_and_spaces() -> None:
    copy = sample("copy", query="what  IS q3?")

    found = golden_set.golden_set([*samples(), copy], dataset="g")

    assert "2 samples ask the same as another: q3, copy" in said(found, Status.WARNING)


def test_a_variant_that_asks_the_same_over_other_passages_is_no_copy() -> None:
    variant = sample("v", query="what is q3?", metadata={"variant_of": "q3"}, arrange="reversed")

    found = golden_set.golden_set([*samples(), variant], dataset="g")

    assert "ask the same" not in said(found, Status.WARNING)


def test_an_unanswerable_sample_with_an_expected_document_is_named() -> None:
    found = golden_set.golden_set([*samples(), sample("odd", answerable=False)], dataset="g")

    assert "odd" in said(found, Status.WARNING)


def test_starter_questions_and_a_small_set_are_warned_of() -> None:
    found = golden_set.golden_set([sample(tags=["starter"]), sample("q2")], dataset="g")

    assert "1 of 2 samples were made by `ragate init`" in said(found, Status.WARNING)
    assert "only large drops" in said(found, Status.WARNING)


def test_expected_documents_that_the_corpus_lacks_are_a_problem() -> None:
    found = golden_set.expected_documents([sample(), sample("q2", relevant={"b.md": 1})], ["a.md"])

    assert [one.exit_code for one in found] == [2]
    assert "1 of 2 are not in the corpus: b.md; expected by 1 sample: q2" in found[0].message


def test_an_expected_document_that_is_written_otherwise_is_shown_beside_the_corpus() -> None:
    found = golden_set.expected_documents([sample(relevant={"kb/a.md": 1})], ["a.md", "b.md"])

    assert "expected kb/a.md; the corpus holds a.md: the folder differs" in found[0].message
    assert "dataset relink --respell" in found[0].remedy


def test_a_document_of_grade_zero_need_not_be_in_the_corpus() -> None:
    found = golden_set.expected_documents([sample(relevant={"a.md": 1, "b.md": 0})], ["a.md"])

    assert statuses(found) == ["ok"]


def test_a_gate_without_an_error_level_can_never_fail() -> None:
    found = golden_set.rules([Rule(metric="token_f1", level="warn")], {}, [sample()])

    assert statuses(found) == ["problem"]


def test_a_gate_by_slices_alone_can_fail() -> None:
    rule = Rule(metric="token_f1", level="warn")

    (found,) = golden_set.rules([rule], {}, [sample()], on_slices={"token_f1"})

    assert (found.status, found.message) == (Status.OK, "1 metric can fail the gate")


def test_a_demanded_metric_that_applies_to_no_sample_is_a_problem() -> None:
    rules = [Rule(metric="token_f1"), Rule(metric="ndcg@10")]

    found = golden_set.rules(rules, {"token_f1": [], "ndcg@10": [sample()]}, [sample()])

    assert [one.exit_code for one in found] == [3]
    assert "token_f1" in found[0].message


def test_a_metric_of_foreign_code_is_not_held_to_be_inapplicable() -> None:
    assert statuses(golden_set.rules([Rule(metric="my.own")], {}, [sample()])) == ["ok"]


@pytest.mark.parametrize(
    ("name", "left"),
    [
        ("ndcg@10", ["judged"]),
        ("token_f1", ["referenced"]),
        ("refusal_recall", ["none"]),
        ("error_rate", ["judged", "referenced", "none"]),
    ],
)
def test_a_metric_says_itself_which_samples_it_applies_to(name: str, left: list[str]) -> None:

    asked = [
        sample("judged"),
        sample("referenced", relevant={}, references=["Yes."]),
        sample("none", relevant={}, answerable=False),
    ]

    found = applicable(plugins.metric(name, samples=asked), asked)

    assert [one.id for one in found] == left


def test_a_rate_applies_to_all_samples_or_none() -> None:

    metric = plugins.metric("refusal_f1")

    assert applicable(metric, [sample()]) == []
    assert len(applicable(metric, [sample(), sample("u", answerable=False)])) == 2


def test_must_pass_samples_without_any_pass_mark_are_a_problem() -> None:
    must = [sample(must_pass=True)]

    found = golden_set.rules([Rule(metric="hit_rate@5")], {"hit_rate@5": must}, must)

    assert [one.check for one in found if one.status is Status.PROBLEM] == ["must-pass"]


def test_a_must_pass_sample_that_no_pass_mark_applies_to_is_named() -> None:
    must = [sample("q1", must_pass=True), sample("q2", must_pass=True, relevant={})]
    rule = Rule(metric="hit_rate@5", pass_at=1.0)

    found = golden_set.rules([rule], {"hit_rate@5": must[:1]}, must)

    assert "q2" in said(found, Status.WARNING)
    assert golden_set.rules([rule], {"hit_rate@5": must}, must)[0].status is Status.OK
