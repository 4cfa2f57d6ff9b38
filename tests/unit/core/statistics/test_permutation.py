"""The exact tests against SciPy, against a slow second implementation, and by their properties."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ragate.core.statistics import permutation
from ragate.core.statistics.permutation import Block, flip, relabel, step_down


def one_run(losses: int, gains: int) -> Block:
    rows = [[1, 0]] * losses + [[0, 1]] * gains + [[1, 1]] * 5
    return Block(np.array(rows, dtype=float)[:, :, None], 1)


@pytest.mark.parametrize(("losses", "gains"), [(1, 0), (5, 0), (7, 2), (3, 3), (2, 9), (10, 4)])
def test_one_run_a_side_is_the_mid_p_binomial_test(losses, gains):
    null = relabel([one_run(losses, gains)], seed=1)
    n = losses + gains
    mid = stats.binom.sf(losses - 1, n, 0.5) - 0.5 * stats.binom.pmf(losses, n, 0.5)

    assert null.enumerated
    assert step_down(null)[0] == pytest.approx(mid, abs=1e-12)
    up = 1 - mid
    assert step_down(null, upwards=True)[0] == pytest.approx(up, abs=1e-12)


@pytest.mark.parametrize(("losses", "gains"), [(21, 10), (18, 14), (12, 20)])
def test_drawn_signs_agree_with_the_binomial_test(losses, gains):
    n = losses + gains
    mid = stats.binom.sf(losses - 1, n, 0.5) - 0.5 * stats.binom.pmf(losses, n, 0.5)
    runs = relabel([one_run(losses, gains)], seed=2)
    signs = flip(np.repeat([-1.0, 1.0, 0.0], [losses, gains, 5])[:, None], seed=3)

    for null in (runs, signs):
        assert not null.enumerated
        assert len(null.stars) == 9_999
        assert step_down(null)[0] == pytest.approx(mid, abs=0.02)
        assert step_down(null, upwards=True)[0] == pytest.approx(1 - mid, abs=0.02)
        assert null.stars.std() == pytest.approx(1.0, abs=0.03)


@pytest.mark.parametrize("large", [0, 15, 31])
def test_every_units_coin_is_fair(large):
    differences = np.full((32, 1), 1e-6)
    differences[large] = 1.0

    assert (flip(differences, seed=5).stars > 0).mean() == pytest.approx(0.5, abs=0.02)


def test_an_enumerated_sign_flip_equals_scipys_permutation_test():
    differences = np.random.default_rng(5).normal(-0.2, 0.5, 12)
    null = flip(differences[:, None], seed=1)
    exact = stats.permutation_test(
        (differences,),
        np.mean,
        permutation_type="samples",
        alternative="less",
        n_resamples=np.inf,
    )

    assert null.enumerated
    ties = 0.5 / 2**12  # the observed one counts half here
    assert step_down(null)[0] == pytest.approx(exact.pvalue - ties, abs=1e-12)


def test_an_enumerated_relabelling_equals_brute_force():
    values = np.random.default_rng(2).integers(0, 5, (4, 4, 1)) / 4
    block = Block(values, 1)
    null = relabel([block], seed=1)
    observed = block.differences.sum()
    sums = []
    for choice in itertools.product(range(4), repeat=4):
        total = 0.0
        for row, run in enumerate(choice):
            rest = np.delete(values[row, :, 0], run)
            total += values[row, run, 0] - rest.mean()
        sums.append(total)
    share = np.mean(np.array(sums) <= observed + 1e-12)

    assert null.enumerated
    assert step_down(null)[0] == pytest.approx(share, abs=1e-12)


@pytest.mark.parametrize(("base", "cand"), [(1, 1), (3, 1), (3, 3), (2, 2)])
def test_sampled_p_values_agree_with_the_slow_reference(reference, base, cand):
    for seed in range(6):
        rng = np.random.default_rng(seed)
        n, metrics = int(rng.integers(25, 60)), int(rng.integers(1, 5))
        chance = rng.beta(4, 1, (n, 1, metrics))
        values = (rng.random((n, base + cand, metrics)) < chance).astype(float)
        values[:, base:, 0] *= rng.random((n, cand)) < 0.9
        if base == 3:  # thirds in single precision break its ties: give it none
            values *= rng.random(values.shape)
        z, stars, _ = reference._perm_tables(values, base, cand, 9_999, rng)
        theirs = reference.step_down_maxT(z, stars, midp=base + cand == 2)
        null = relabel([Block(values, cand)], seed=seed)

        assert null.z == pytest.approx(z, abs=1e-9)
        assert step_down(null) == pytest.approx(theirs, abs=0.02)
        theirs_up = reference.step_down_maxT(-z, -stars, midp=base + cand == 2)
        assert step_down(null, upwards=True) == pytest.approx(theirs_up, abs=0.02)


def test_a_metric_without_any_variation_has_p_1_and_disturbs_no_other():
    noisy = one_run(6, 0).values
    both = Block(np.concatenate([noisy, np.ones_like(noisy)], axis=2), 1)
    p = step_down(relabel([both], seed=1))

    assert p[1] == 1.0
    assert p[0] == step_down(relabel([one_run(6, 0)], seed=1))[0]


def test_nothing_varies_at_all():
    null = relabel([Block(np.ones((5, 4, 2)), 1)], seed=1)

    assert step_down(null).tolist() == [1.0, 1.0]
    assert step_down(flip(np.zeros((5, 2)), seed=1)).tolist() == [1.0, 1.0]


def test_the_seed_alone_decides_the_draw():
    values = np.random.default_rng(3).random((50, 4, 2))
    first, again = (relabel([Block(values, 1)], seed=7) for _ in range(2))

    assert not first.enumerated
    assert np.array_equal(first.stars, again.stars)
    assert not np.array_equal(first.stars, relabel([Block(values, 1)], seed=8).stars)


def test_the_stream_of_draws_is_pinned():
    values = np.arange(200.0).reshape(50, 4, 1) % 7
    null = relabel([Block(values, 1)], seed=11)

    assert step_down(null)[0] == pytest.approx(PINNED, abs=0)


PINNED = 0.5666


def test_what_no_draw_reaches_counts_the_observed_one_and_half_of_it_for_signs():
    lost = np.zeros((60, 4, 1))
    lost[:, :3] = 1.0

    assert step_down(relabel([Block(lost, 1)], seed=1))[0] == pytest.approx(1 / 10_000)
    assert step_down(flip(-np.ones((60, 1)), seed=1))[0] == pytest.approx(0.5 / 10_000)


def test_samples_with_different_numbers_of_runs_are_tested_together():
    rng = np.random.default_rng(4)
    many, few = rng.random((5, 4, 1)), rng.random((4, 2, 1))
    null = relabel([Block(many, 1), Block(few, 1)], seed=1)

    assert null.enumerated
    assert len(null.stars) == 4**5 * 2**4
    assert null.stars.mean() == pytest.approx(0.0, abs=1e-12)
    assert null.stars.std() == pytest.approx(1.0, abs=1e-12)
    assert not null.mid


def test_very_many_runs_of_one_sample_are_rotated_instead_of_listed():
    values = np.random.default_rng(6).random((3, 22, 1))
    null = relabel([Block(values, 11)], seed=1)

    assert len(null.stars) == 22**3
    assert np.abs(null.stars - null.z).min() < 1e-12
    assert null.stars.mean() == pytest.approx(0.0, abs=1e-12)  # every run is called it as often
    assert 0 < step_down(null)[0] <= 1


small = st.integers(0, 3).map(lambda step: step / 3)


@st.composite
def tables(draw, metrics: int = 3, runs: int = 4):
    rows = draw(st.integers(2, 5))
    cells = rows * runs * metrics
    flat = draw(st.lists(small, min_size=cells, max_size=cells))
    return np.array(flat).reshape(rows, runs, metrics)


@given(values=tables(), order=st.permutations(range(3)))
def test_the_order_of_the_metrics_changes_nothing(values, order):
    p = step_down(relabel([Block(values, 1)], seed=1))
    mixed = step_down(relabel([Block(values[:, :, list(order)], 1)], seed=1))

    assert mixed == pytest.approx(p[list(order)], abs=1e-12)


@given(values=tables(metrics=1), row=st.integers(0, 4), by=small)
def test_a_worse_candidate_never_has_a_larger_p(values, row, by):
    worse = values.copy()
    worse[row % len(worse), 3] -= by
    first = step_down(relabel([Block(values, 1)], seed=1))[0]
    second = step_down(relabel([Block(worse, 1)], seed=1))[0]

    assert second <= first + 1e-12


@given(values=tables())
def test_adjusted_p_is_never_below_the_p_of_the_metric_alone(values):
    together = step_down(relabel([Block(values, 1)], seed=1))
    alone = [step_down(relabel([Block(values[:, :, [m]], 1)], seed=1))[0] for m in range(3)]

    assert (together >= np.array(alone) - 1e-12).all()


def test_the_exact_test_errs_at_most_alpha_when_labels_mean_nothing():
    values = np.random.default_rng(9).integers(0, 2, (4, 4, 2)).astype(float)
    ps = []
    for choice in itertools.product(range(4), repeat=4):  # every labelling is equally likely
        order = [[*[run for run in range(4) if run != pick], pick] for pick in choice]
        relabelled = np.stack([values[row][order[row]] for row in range(4)])
        ps.append(step_down(relabel([Block(relabelled, 1)], seed=1)).min())

    for alpha in (0.02, 0.05, 0.2):
        assert np.mean(np.array(ps) <= alpha) <= alpha


def test_three_labels_are_drawn_from_three():
    rng = np.random.default_rng(8)
    values = (rng.random((40, 3, 1)) < 0.8).astype(float)
    values[:4, 2] = 0.0
    block = Block(values, 1)
    pick = rng.integers(0, 3, (20_000, 40))
    chosen = np.take_along_axis(values[None, :, :, 0], pick[:, :, None], axis=2)[:, :, 0]
    stars = (1.5 * chosen - 0.5 * values[:, :, 0].sum(axis=1)).sum(axis=1)
    expected = (stars <= block.differences.sum() + 1e-9).mean()

    assert step_down(relabel([block], seed=1))[0] == pytest.approx(expected, abs=0.02)
    twice = step_down(relabel([Block(np.repeat(values, 2, axis=2), 1)], seed=1))
    assert twice == pytest.approx([expected, expected], abs=0.02)


@pytest.mark.parametrize(("base", "k"), [(2, 1), (3, 2), (1, 2)])
def test_the_scale_of_z_is_that_of_all_labellings(base, k):
    values = np.random.default_rng(base).random((4, base + k, 2))
    null = relabel([Block(values, k)], seed=1)

    assert null.enumerated
    assert null.stars.mean(axis=0) == pytest.approx([0.0, 0.0])
    assert null.stars.std(axis=0) == pytest.approx([1.0, 1.0])


def test_as_many_relabellings_as_are_listed_are_all_listed():
    rng = np.random.default_rng(1)
    null = relabel([Block(rng.random((4, 5, 1)), 1), Block(rng.random((5, 2, 1)), 1)], seed=1)

    assert null.enumerated
    assert len(null.stars) == 5**4 * 2**5 == 20_000


def test_one_coin_for_several_units_finds_what_a_coin_for_each_finds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    differences = np.random.default_rng(7).normal([-0.05, 0.0], 1.0, (4_000, 2))
    apart = step_down(flip(differences, seed=3))
    monkeypatch.setattr(permutation, "COINS", 1_000)
    together = step_down(flip(differences, seed=3))

    assert np.abs(apart - together).max() < 0.02
