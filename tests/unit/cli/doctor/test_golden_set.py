"""What doctor says of the golden set: its samples, their documents, and the metrics that apply."""

from __future__ import annotations

import pytest

from ragate import plugins
from ragate.cli.doctor import examine
from ragate.cli.finding import Status
from ragate.models import Rule
from ragate.pipeline.score.policy_metrics import applicable
from tests.unit.cli.doctor.doctor_factories import said, sample, samples, statuses


def test_the_golden_set_is_counted() -> None:
    unanswerable = sample("u2", relevant={}, answerable=False, must_pass=True)
    asked = [*samples(28), sample("u1", relevant={}), unanswerable]

    found = list(examine.golden_set([], asked, dataset="golden.jsonl"))

    assert statuses(found) == ["ok"]
    assert "30 samples, 1 unanswerable, 1 must-pass" in found[0].message
    assert "1 unjudged" in found[0].message
    assert "1 without a reference" in found[0].message


def test_a_gate_without_an_error_level_can_never_fail() -> None:
    found = examine.rules([Rule(metric="token_f1", level="warn")], {}, [sample()])

    assert statuses(found) == ["problem"]


def test_a_gate_by_slices_alone_can_fail() -> None:
    rule = Rule(metric="token_f1", level="warn")

    (found,) = examine.rules([rule], {}, [sample()], on_slices={"token_f1"})

    assert (found.status, found.message) == (Status.OK, "1 metric can fail the gate")


def test_a_demanded_metric_that_applies_to_no_sample_is_a_problem() -> None:
    rules = [Rule(metric="token_f1"), Rule(metric="ndcg@10")]

    found = examine.rules(rules, {"token_f1": [], "ndcg@10": [sample()]}, [sample()])

    assert [one.exit_code for one in found] == [3]
    assert "token_f1" in found[0].message


def test_a_metric_of_foreign_code_is_not_held_to_be_inapplicable() -> None:
    assert statuses(examine.rules([Rule(metric="my.own")], {}, [sample()])) == ["ok"]


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

    found = examine.rules([Rule(metric="hit_rate@5")], {"hit_rate@5": must}, must)

    assert [one.check for one in found if one.status is Status.PROBLEM] == ["must-pass"]


def test_a_must_pass_sample_that_no_pass_mark_applies_to_is_named() -> None:
    must = [sample("q1", must_pass=True), sample("q2", must_pass=True, relevant={})]
    rule = Rule(metric="hit_rate@5", pass_at=1.0)

    found = examine.rules([rule], {"hit_rate@5": must[:1]}, must)

    assert "q2" in said(found, Status.WARNING)
    assert examine.rules([rule], {"hit_rate@5": must}, must)[0].status is Status.OK
