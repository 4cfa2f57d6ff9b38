"""Changes that do no harm get a decision; leaving detail out is seen."""

from __future__ import annotations

import re

import pytest

from ragate.core.comparison.compare import compare
from ragate.models import MetricVerdict, Verdict
from tests.night import NIGHT
from tests.unit.core.answer_pool import (
    Change,
    compared,
    gate,
    outputs_of,
    questions,
    registered,
    rule_for,
    run_of,
)
from tests.unit.core.decision_factories import judge, row_of

PARTS = ("unsupported_numbers", "citation_validity", "quote_fidelity")


SEEDS = range(3 if NIGHT else 1)


YELLOW = (MetricVerdict.WORSE_HERE, MetricVerdict.CANNOT_TELL)


def without(pattern: str) -> Change:
    return lambda answer: re.sub(pattern, "", answer)


LEAVING_OUT = {
    "unsupported_numbers": without(r"\d+ "),
    "citation_validity": without(r" \[\d\]"),
    "quote_fidelity": without(r' The guide says ".*?"\.'),
}


@pytest.mark.parametrize("name", registered())
def test_an_unchanged_system_that_words_its_answers_anew_gets_a_decision(name: str) -> None:
    for seed in SEEDS:
        decision = gate(questions(), [name], seed)

        assert decision.verdict is not Verdict.NO_DECISION, decision.reasons


def test_all_metrics_on_samples_together_get_a_decision() -> None:
    names = [name for name in registered() if name != "pairwise"]

    verdicts = [gate(questions(), names, seed).verdict for seed in SEEDS]

    assert Verdict.NO_DECISION not in verdicts
    assert verdicts.count(Verdict.FAILED) <= 1  # by chance: all metrics together in 1 run in 50


@pytest.mark.parametrize("name", PARTS)
def test_taking_a_part_out_of_every_answer_is_red(name: str) -> None:
    decision = gate(questions(), [name], change=LEAVING_OUT[name])

    assert decision.verdict is Verdict.FAILED
    assert [row.metric for row in decision.metrics if row.blocks] == [f"{name}.checked"]


@pytest.mark.parametrize("name", PARTS)
def test_taking_a_part_out_of_a_few_answers_is_red_or_yellow(name: str) -> None:
    def some(answer: str) -> str:
        row = re.search(r"[1-6]", answer)  # about a quarter of the answers
        return LEAVING_OUT[name](answer) if row and len(answer) % 2 else answer

    decision = gate(questions(), [name], change=some)

    row = row_of(decision, f"{name}.checked")
    assert row.blocks or row.verdict in YELLOW


def test_a_gated_metric_that_no_answer_gives_anything_to_says_so_and_passes() -> None:
    samples = questions()
    plain = [outputs_of(samples, seed, LEAVING_OUT["quote_fidelity"]) for seed in range(4)]

    decision = judge(
        compared(plain[:3], plain[3:], samples, ["quote_fidelity"]), rule_for("quote_fidelity")
    )

    assert decision.verdict is Verdict.PASSED
    assert any("no answer of either side" in warning for warning in decision.warnings)


def test_a_number_that_is_spelled_out_changes_nothing() -> None:
    samples = questions()
    before = outputs_of(samples, 1)
    first = samples[6].id
    told = before[first].amended(answer="It takes 8 minutes.")
    spelled = before[first].amended(answer="It takes eight minutes.")
    names = ["unsupported_numbers", "number_recall"]

    decision = judge(
        compared([before | {first: told}] * 2, [before | {first: spelled}], samples, names),
        *map(rule_for, names),
    )

    assert decision.verdict is Verdict.PASSED
    assert [row.worse for row in decision.metrics] == [0, 0]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_metric_of_three_questions_says_that_it_cannot_fail_and_leaves_a_decision(
    seed: int,
) -> None:
    decision = gate(questions(57, 3), ["refusal_recall"], seed)

    assert decision.verdict is Verdict.PASSED
    row = row_of(decision, "refusal_recall")
    said = any("must get worse before it can fail" in warning for warning in decision.warnings)
    assert said or row.verdict is MetricVerdict.UNCHANGED


def test_a_set_that_is_too_small_to_fail_is_no_gate() -> None:
    decision = gate(questions(3, 0), ["token_f1"])

    assert decision.verdict is Verdict.NO_DECISION
    assert "must get worse before it can fail" in " ".join(decision.reasons)


@pytest.mark.parametrize("passes", [1, 3])
def test_equal_outputs_read_unchanged(passes: int) -> None:
    samples = questions()
    same = outputs_of(samples, 1)
    slower = {key: one.amended(latency_s=(one.latency_s or 0.0) * 2) for key, one in same.items()}
    names = ["token_f1", "faithfulness", "latency_p95", "refusal_recall", "quote_fidelity"]

    decision = judge(compared([same] * passes, [slower], samples, names), *map(rule_for, names))

    assert decision.verdict is Verdict.PASSED
    assert {row.verdict for row in decision.metrics} == {
        MetricVerdict.UNCHANGED,
        MetricVerdict.SHOWN,
    }


def test_a_value_over_the_run_that_has_no_limit_leaves_nothing_open() -> None:
    samples = questions()
    timeless = {key: one.amended(latency_s=None) for key, one in outputs_of(samples, 1).items()}
    names = ["token_f1", "latency_p95"]
    rules = [rule_for("token_f1"), rule_for("latency_p95").amended(maximum=None)]

    decision = judge(compared([timeless], [timeless], samples, names), *rules)

    assert decision.verdict is Verdict.PASSED
    assert row_of(decision, "latency_p95").verdict is MetricVerdict.NOT_MEASURED


def test_a_limit_on_a_value_that_was_not_measured_is_no_decision() -> None:
    samples = questions()
    timeless = {key: one.amended(latency_s=None) for key, one in outputs_of(samples, 1).items()}
    names = ["token_f1", "latency_p95"]

    decision = judge(compared([timeless], [timeless], samples, names), *map(rule_for, names))

    assert decision.verdict is Verdict.NO_DECISION


def test_a_baseline_of_an_older_version_is_not_comparable_and_the_remedy_is_told() -> None:
    samples = questions()
    before = run_of([outputs_of(samples, 1)], samples, ["quote_fidelity"])
    older = before.manifest.metrics["quote_fidelity"].amended(version=1)
    manifest = before.manifest.amended(metrics={"quote_fidelity": older})
    after = run_of([outputs_of(samples, 2)], samples, ["quote_fidelity"])

    decision = judge(
        compare(before.amended(manifest=manifest), after, samples),
        rule_for("quote_fidelity"),
    )

    assert decision.exit_code == 3
    assert [row.verdict for row in decision.metrics] == [MetricVerdict.NOT_COMPARABLE]
    assert "ragate baseline rejudge" in decision.remedies


def test_a_baseline_without_the_count_is_not_comparable() -> None:
    samples = questions()
    before = run_of([outputs_of(samples, 1)], samples, ["quote_fidelity"])
    bare = {name: i for name, i in before.manifest.metrics.items() if name == "quote_fidelity"}
    manifest = before.manifest.amended(metrics=bare)
    after = run_of([outputs_of(samples, 2)], samples, ["quote_fidelity"])

    decision = judge(
        compare(before.amended(manifest=manifest), after, samples),
        rule_for("quote_fidelity"),
    )

    assert decision.exit_code == 3
    row = row_of(decision, "quote_fidelity.checked")
    assert row.verdict is MetricVerdict.NOT_COMPARABLE
