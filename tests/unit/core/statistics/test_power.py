"""The smallest visible drop: its parts against simulation, and its limits."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ragate.core.statistics.critical_value import coin_tail, critical_value, skewed
from ragate.core.statistics.drop_moments import Moments
from ragate.core.statistics.fewest_losses import fewest_losses
from ragate.core.statistics.metric_noise import Noise
from ragate.core.statistics.permutation import Block, flip, relabel
from ragate.core.statistics.power import Design, up_to_a_thousandth
from ragate.core.statistics.power_search import power_plot, runs_needed, samples_needed
from ragate.core.statistics.quantiles import normal_quantile
from ragate.models import Rule
from tests.unit.core.decision_factories import judge, noisy_pair, row_of

YES = Noise(0.05, measured=True, mean=0.85, weight=0.97, reach=1 / 0.85)

# Simulated with the decision's own tests: claim, baseline runs, further runs, metrics, samples and
# the drop of the set that is red in 80 % of 500 changes; yes or no, mean .85, q .05, alpha .02.
SIMULATED = [
    ("generalise", 1, 0, 1, 50, 0.1456),
    ("generalise", 1, 2, 6, 50, 0.1648),
    ("generalise", 3, 2, 1, 50, 0.1274),
    ("generalise", 3, 2, 6, 50, 0.1468),
    ("this-set", 1, 2, 1, 50, 0.1131),
    ("this-set", 3, 0, 1, 50, 0.1124),
    ("this-set", 3, 2, 1, 50, 0.0777),
    ("this-set", 3, 2, 6, 50, 0.0908),
    ("generalise", 1, 2, 1, 100, 0.0912),
    ("generalise", 3, 2, 1, 100, 0.0722),
    ("generalise", 3, 0, 6, 100, 0.1040),
    ("this-set", 3, 2, 1, 100, 0.0502),
    ("this-set", 1, 2, 6, 100, 0.0819),
    ("generalise", 3, 2, 1, 200, 0.0436),
    ("generalise", 3, 2, 6, 200, 0.0591),
    ("this-set", 3, 0, 1, 200, 0.0459),
    ("this-set", 3, 2, 6, 200, 0.0430),
    ("generalise", 1, 0, 6, 500, 0.0452),
    ("generalise", 3, 2, 1, 500, 0.0234),
    ("this-set", 1, 0, 1, 500, 0.0347),
    ("this-set", 3, 2, 1, 500, 0.0245),
]


@pytest.mark.parametrize(("claim", "base", "confirm", "metrics", "n", "simulated"), SIMULATED)
def test_the_printed_drop_is_within_15_percent_of_the_simulated_one(
    claim, base, confirm, metrics, n, simulated
):
    flips = claim == "generalise"
    design = Design(
        metrics=metrics,
        baseline_runs=base,
        confirm=confirm,
        flips=flips,
        min_drop=0.01 if flips else 0.02,
    )
    seen = design.mde(n, YES)

    assert seen is not None
    assert up_to_a_thousandth(seen) == pytest.approx(simulated, rel=0.15)


def broken_scores(rng: np.random.Generator, n: int, base: int, cand: int) -> np.ndarray:
    """Yes-or-no runs of `n` samples of which a tenth ceases to pass."""
    chances = np.where(rng.random(n) < 0.8, 1.0, 0.5)
    runs = (rng.random((n, base + cand)) < chances[:, None]).astype(float)
    runs[: n // 10, base:] = 0.0
    return runs[:, :, None]


@pytest.mark.parametrize(("base", "cand"), [(1, 1), (3, 1), (3, 3), (1, 3), (2, 3)])
@pytest.mark.parametrize("flips", [False, True])
def test_variance_and_skewness_are_those_of_the_relabelled_runs(base, cand, flips):
    rng = np.random.default_rng(7)
    n, draws = 400, []
    for seed in range(12):
        block = Block(broken_scores(rng, n, base, cand), cand)
        pick = {"seed": seed, "draws": 4_999}
        null = flip(block.differences, **pick) if flips else relabel([block], **pick)
        scale = null.stars[:, 0] * (block.differences.sum() / null.z[0]) / n
        draws.append((scale.var(), ((scale / scale.std()) ** 3).mean()))
    variance, skewness = np.mean(draws, axis=0)
    # q of a coin in a fifth of the samples; 0.9 is the mean, 0.85 the mean square.
    moments = Moments(Noise(0.1, mean=0.9, weight=0.85 / 0.9), base, cand, flips)

    assert moments.null_deviation(0.09) ** 2 / n == pytest.approx(variance, rel=0.1)
    assert -moments.skewness(0.09, n) == pytest.approx(skewness, abs=0.06)


def test_the_drop_that_is_seen_scatters_by_the_runs_alone():
    """Which samples are broken is settled, and a broken one repeats as zero."""
    rng = np.random.default_rng(3)
    chances = np.where(rng.random(200) < 0.8, 1.0, 0.5)
    drops = []
    for _ in range(4000):
        runs = (rng.random((200, 6)) < chances[:, None]).astype(float)
        runs[:20, 3:] = 0.0
        drops.append(runs[:, :3].mean() - runs[:, 3:].mean())
    noise = Noise(float(2 * (chances * (1 - chances)).mean()), mean=float(chances.mean()))
    drop = float(chances[:20].sum() / 200)

    assert Moments(noise, 3, 3, flips=True).deviation(drop) / math.sqrt(200) == pytest.approx(
        float(np.std(drops)), rel=0.05
    )


def test_one_metric_needs_the_quantile_of_its_level():
    assert critical_value(0.02, metrics=1, carriers=3) == pytest.approx(normal_quantile(0.98))
    assert skewed(2.0, 0.6) == pytest.approx(2.3)


def test_metrics_whose_noise_few_samples_carry_count_for_less():
    few, many = (critical_value(0.01, metrics=6, carriers=coins) for coins in (2, 10_000))

    assert few == pytest.approx(normal_quantile(0.99), abs=0.01)
    assert many == pytest.approx(normal_quantile(1 - 0.01 / 6), abs=0.01)


def test_a_sum_of_few_signs_does_not_reach_far():
    assert coin_tail(2.6, 4) == 0.0
    assert coin_tail(-9.0, 4) == 1.0
    assert coin_tail(0.0, 7) == pytest.approx(0.5)
    assert coin_tail(2.0, 0) == 0.0
    assert coin_tail(1.5, 100_000) == pytest.approx(0.0668, abs=1e-3)


@pytest.mark.parametrize(
    ("level", "base", "cand", "flips", "losses"),
    [
        (0.05, 1, 1, False, 4),
        (0.05 / 6, 1, 1, False, 6),
        (0.05, 3, 1, False, 3),
        (0.25, 3, 1, False, 1),
        (0.0625, 3, 1, False, 2),
        (0.02, 3, 3, False, 2),
        (0.02, 3, 3, True, 5),
    ],
)
def test_the_fewest_losses_that_can_fail(level, base, cand, flips, losses):
    found = fewest_losses(level, baseline_runs=base, candidate_runs=cand, flips=flips)
    assert found == losses


def test_power_grows_with_the_drop_and_is_80_percent_where_it_is_printed():
    design = Design(metrics=3, confirm=2, flips=True, min_drop=0.01)
    seen = design.mde(200, YES)
    assert seen is not None
    powers = [design.power(drop, 200, YES) for drop in np.linspace(0.005, 0.2, 40)]

    assert design.power(seen, 200, YES) == pytest.approx(0.8, abs=1e-6)
    assert powers == sorted(powers)
    assert powers[-1] > 0.999


def test_a_second_look_shows_smaller_drops_and_costs_few_of_the_large_ones():
    once, confirmed = (Design(flips=True, confirm=runs) for runs in (0, 2))

    assert (confirmed.mde(200, YES) or 1) < 0.9 * (once.mde(200, YES) or 0)
    assert confirmed.power(0.08, 200, YES) > 0.99


def test_one_run_a_side_is_planned_as_sign_flips_and_no_other_design_is():
    def effect(base: int, *, flips: bool) -> float:
        found = Design(baseline_runs=base, flips=flips).mde(60, YES)
        assert found is not None
        return found

    assert effect(1, flips=False) == effect(1, flips=True)
    assert effect(2, flips=False) < effect(2, flips=True)
    assert effect(3, flips=False) < effect(3, flips=True)


def test_fewer_samples_than_must_break_show_nothing():
    quiet = Noise(0.001, measured=True, carriers=0.001)

    assert Design().mde(2, quiet) is None
    assert Design().mde(5, quiet) is not None
    assert Design(flips=True).mde(4, quiet) is None


def test_noise_that_drowns_every_drop_shows_none():
    assert Design().mde(5, Noise(0.9, measured=True)) is None
    assert Design().mde(8, Noise(0.9, measured=True)) is not None


def test_a_drop_as_large_as_the_mean_is_the_largest_there_is():
    low = Noise(0.01, measured=True, mean=0.1, weight=0.9, reach=10.0)

    assert Design(min_drop=0.11).mde(500, low) is None
    seen = Design(min_drop=0.05).mde(500, low)
    assert seen is not None
    assert 0.05 < seen < 0.1


def test_what_is_allowed_is_the_least_that_shows():
    seen = Design(min_drop=0.1, confirm=2).mde(1000, YES)

    assert seen is not None
    assert 0.1 < seen < 0.11


def test_the_samples_that_are_needed_are_the_fewest():
    design = Design(flips=True, confirm=2)
    needed = samples_needed(0.05, YES, design)

    assert needed is not None
    assert design.shows(0.05, needed, YES)
    assert not design.shows(0.05, needed - 1, YES)
    assert samples_needed(0.019, YES, Design(min_drop=0.02)) is None


def test_the_runs_that_are_needed_are_the_fewest():
    design = Design(confirm=2, flips=True)
    needed = runs_needed(0.11, 60, YES, design)

    assert needed is not None
    assert needed > 1
    assert design.with_baseline(needed).shows(0.11, 60, YES)
    assert not design.with_baseline(needed - 1).shows(0.11, 60, YES)
    assert runs_needed(0.01, 50, YES, design) is None
    assert runs_needed(0.6, 50, YES, design) == 1


def test_the_plot_has_a_line_a_size_with_points_and_a_bar():
    plot = power_plot((2, 50, 100_000), YES, Design()).splitlines()
    seen = Design().mde(50, YES)

    assert seen is not None
    assert "no drop can be shown" in plot[1]
    assert plot[2].split() == [
        "50",
        f"{up_to_a_thousandth(seen) * 100:.1f}",
        "#" * round(seen * 50),
    ]
    assert plot[3].count("#") == 1


def test_effects_are_rounded_up():
    assert up_to_a_thousandth(0.0441) == 0.045
    assert up_to_a_thousandth(0.044) == 0.044


def test_the_report_prints_the_drop_of_its_own_design():
    rng = np.random.default_rng(6)
    scores = (rng.random((60, 6)) < 0.95).astype(float)
    pair = noisy_pair(scores[:, :3], scores[:, 3:4], fingerprint="other", confirm=2)
    row = row_of(judge(pair, Rule(metric="faithfulness")), "faithfulness")
    twice = row_of(judge(pair, Rule(metric="faithfulness", level="warn")), "faithfulness")

    assert row.mde is not None
    assert twice.mde is not None
    assert row.mde < twice.mde  # what is shown only is never confirmed


def test_the_effect_of_one_baseline_run_is_planned_with_one():
    pair = noisy_pair(np.ones((50, 1)), np.ones((50, 1)))
    row = row_of(judge(pair, Rule(metric="faithfulness")), "faithfulness")
    one = Design(baseline_runs=1, min_drop=0.02).mde(50, Noise())

    assert one is not None
    assert row.mde == up_to_a_thousandth(one)
