"""Systems that repeat: what is exact, which samples count as changed, what is said of the rest."""

from __future__ import annotations

from functools import partial

import pytest

from benchmarks.repeating import rewrites
from ragate.core.comparison.compare import compare
from ragate.models import Decision, Needs, Reads, Verdict
from tests.unit.core.comparison.repeating_factories import (
    ANSWERED,
    BOTH,
    declared,
    pair_of,
    share_of_red,
    side,
)
from tests.unit.core.decision_factories import EXACT, by_night, run_of, samples_of

BM25 = (Reads.RETRIEVAL, Reads.ANSWER)


DENSE: tuple[Reads, ...] = ()


@pytest.mark.parametrize(
    ("baseline", "candidate", "exact"),
    [(BM25, BM25, True), (BM25, DENSE, False), (DENSE, BM25, False), (DENSE, DENSE, False)],
)
def test_a_metric_is_exact_where_both_systems_declare_its_input(baseline, candidate, exact):
    before = side([[1.0, 1.0]] * 5, info=EXACT, deterministic=baseline)
    after = side([[1.0]] * 5, info=EXACT, deterministic=candidate)

    assert compare(before, after, samples_of(5)).columns[EXACT.name].exact is exact


def test_the_policy_declares_for_both_sides():
    assert pair_of([1.0] * 5, [1.0] * 5).columns["number_recall"].exact
    assert not pair_of([1.0] * 5, [1.0] * 5, repeats=()).columns["number_recall"].exact
    only = pair_of([1.0] * 5, [1.0] * 5, repeats=["retrieval"])
    assert not only.columns["number_recall"].exact


@pytest.mark.parametrize("needs", [Needs.JUDGE, Needs.EMBEDDINGS])
def test_what_has_noise_of_its_own_stays_noisy(needs):
    info = ANSWERED.amended(needs=needs)
    before, after = side([[1.0] * 3] * 5, info=info), side([[1.0]] * 5, info=info)

    assert not compare(before, after, samples_of(5), repeats=BOTH).columns[info.name].exact


def test_one_recorded_run_shows_nothing_of_repeating():
    before, after = side([[1.0]] * 5), side([[1.0]] * 5)

    assert not compare(before, after, samples_of(5), repeats=BOTH).columns["number_recall"].exact


def test_what_an_unscored_sample_could_hide_is_said_and_more_of_them_decide_nothing():
    samples = samples_of(40)
    before = side([[1.0] * 3] * 40)

    def decided(lost: int) -> Decision:
        scores = {"number_recall": [[None]] * lost + [[1.0]] * (40 - lost)}
        after = run_of(scores, samples, infos=(ANSWERED,), deterministic=())
        return declared(compare(before, after, samples, repeats=BOTH))

    assert any("a drop of 2.5 points could hide" in line for line in decided(1).warnings)
    assert decided(8).verdict is Verdict.NO_DECISION


def test_an_unchanged_output_of_a_declared_system_is_unaffected():
    comparison = pair_of([1.0] * 16, [0.0] + [1.0] * 15)

    assert comparison.affected == 1


@pytest.mark.parametrize(
    ("n", "share"),
    [
        (20, 0.3),
        *(pytest.param(*cell, marks=by_night) for cell in ((50, 0.1), (300, 0.1))),
        (100, 0.03),
    ],
)
def test_a_neutral_rewrite_is_rarely_red(n, share):
    assert share_of_red(partial(rewrites, n=n, share=share), 300) <= 0.03
