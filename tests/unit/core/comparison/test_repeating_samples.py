"""Systems that repeat: what is exact, which samples count as changed, what is said of the rest."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from benchmarks.repeating import rewrites
from ragate.core.comparison.compare import compare
from ragate.core.comparison.repeating_samples import askings
from ragate.models import Decision, MetricInfo, Needs, Reads, Rule, Run, Verdict
from tests.night import NIGHT, by_night
from tests.unit.core.comparison.repeating_factories import (
    ANSWERED,
    declared,
    pair_of,
    share_of_red,
    side,
)
from tests.unit.core.decision_factories import EXACT, judge, run_of, samples_of

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


def test_what_repeats_is_read_off_sessions_of_their_own():
    def exact(**recorded: object) -> bool:
        return pair_of([1.0] * 30, [1.0] * 30, recorded=recorded).columns["number_recall"].exact

    assert exact()
    assert not exact(own_sessions=False)
    assert not exact(runs=2)
    alone = pair_of([1.0] * 30, [1.0] * 30, own_sessions=False)
    assert not alone.columns["number_recall"].exact


@pytest.mark.parametrize(("varying", "times"), [(0, 5), (1, 6), (3, 8)])
def test_few_changed_samples_are_asked_the_more_often_the_more_vary(varying: int, times: int):
    assert askings(varying) == times


def test_six_of_sixteen_lost_documents_are_red_whatever_stands_beside():
    retrieved = MetricInfo(name="recall@10", reads=Reads.RETRIEVAL)
    noisy = [MetricInfo(name=f"judged{n}", needs=Needs.JUDGE) for n in range(6)]
    infos, samples, rng = (retrieved, *noisy), samples_of(16), np.random.default_rng(4)

    def run(lost: int, passes: int) -> Run:
        scores = {info.name: rng.random((16, passes)).round(1).tolist() for info in noisy}
        scores["recall@10"] = [[0.0 if n < lost else 1.0] * passes for n in range(16)]
        made = run_of(scores, samples, infos=infos, deterministic=(), own_sessions=True)
        return made.amended(
            records=[
                one.amended(
                    retrieval_hash=f"{one.scores['recall@10'].value}",
                    output_hash=f"{lost} {one.run} {one.sample_id}",
                )
                for one in made.records
            ]
        )

    rules = [Rule(metric=info.name) for info in infos]
    first = judge(compare(run(0, 3), run(6, 1), samples), *rules)
    again = judge(compare(run(0, 3), run(6, 3), samples), *rules)

    assert len(first.wants_again) == 6
    assert again.verdict is Verdict.FAILED
    assert any(reason.startswith("recall@10 fell by 0.375") for reason in again.reasons)
    assert judge(compare(run(0, 3), run(0, 3), samples), *rules).verdict is Verdict.PASSED


@pytest.mark.parametrize("needs", [Needs.JUDGE, Needs.EMBEDDINGS])
def test_what_has_noise_of_its_own_stays_noisy(needs):
    info = ANSWERED.amended(needs=needs)
    before, after = side([[1.0] * 3] * 5, info=info), side([[1.0]] * 5, info=info)

    assert not compare(before, after, samples_of(5)).columns[info.name].exact


def test_one_recorded_run_shows_nothing_of_repeating():
    before, after = side([[1.0]] * 5), side([[1.0]] * 5)

    assert not compare(before, after, samples_of(5)).columns["number_recall"].exact


def test_what_an_unscored_sample_could_hide_is_said_and_more_of_them_decide_nothing():
    samples = samples_of(40)
    before = side([[1.0] * 3] * 40)

    def decided(lost: int) -> Decision:
        scores = {"number_recall": [[None]] * lost + [[1.0]] * (40 - lost)}
        after = run_of(scores, samples, infos=(ANSWERED,), deterministic=(), own_sessions=True)
        return declared(compare(before, after, samples))

    assert any("a drop of 2.5 points could hide" in line for line in decided(1).warnings)
    assert decided(8).verdict is Verdict.NO_DECISION


def test_what_sessions_show_to_repeat_was_asked_and_can_be_lost():
    comparison = pair_of([1.0] * 16, [0.0] + [1.0] * 15)

    assert comparison.affected is None


@pytest.mark.parametrize(
    ("n", "share"),
    [
        (20, 0.3),
        *(pytest.param(*cell, marks=by_night) for cell in ((50, 0.1), (300, 0.1))),
        (100, 0.03),
    ],
)
def test_a_neutral_rewrite_is_rarely_red(n, share):
    assert share_of_red(partial(rewrites, n=n, share=share), 300 if NIGHT else 30) <= 0.03
