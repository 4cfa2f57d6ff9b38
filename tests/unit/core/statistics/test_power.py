"""The smallest visible drop: its parts against simulation, and its limits."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.gate_model import draw_chances, play
from ragate.core.statistics.joint_noise import JointNoise, independent_noise, joint_noise
from ragate.core.statistics.metric_noise import Noise, measure_noise
from ragate.core.statistics.permutation import Block, flip, step_down
from ragate.core.statistics.power import Design, up_to_a_thousandth
from ragate.core.statistics.score_columns import Floats
from tests.night import by_night

YES = Noise(0.05, measured=True, mean=0.85, weight=0.97, reach=1 / 0.85, between=0.1)


def recorded_beside(metrics: int, *, n: int, runs: int) -> JointNoise:
    """The joint noise of metrics as the simulation behind the figures records them."""
    rng = np.random.default_rng(n)
    base = draw_chances(rng, (1, n), metrics, 0.05, 0.85)
    scores = play(rng, base, base, q=0.05, kinds=("yes",) * metrics, runs=(runs, 1))[0]
    return joint_noise((Block(scores, 1),))[0]


# Simulated with the decision's own tests: baseline runs, further runs, metrics, samples and
# the drop of the set that is red in 80 % of 500 changes; yes or no, mean .85, q .05, alpha .02.
SIMULATED = [
    (1, 0, 1, 50, 0.1456),
    (3, 2, 1, 50, 0.1274),
    (3, 2, 6, 50, 0.1468),
    (1, 2, 1, 100, 0.0912),
    (3, 2, 1, 100, 0.0722),
    (3, 0, 6, 100, 0.1040),
    (3, 2, 1, 200, 0.0436),
    (3, 2, 6, 200, 0.0591),
    (1, 0, 6, 500, 0.0452),
    (3, 2, 1, 500, 0.0234),
]


@pytest.mark.parametrize(("base", "confirm", "metrics", "n", "simulated"), SIMULATED)
def test_the_printed_drop_is_within_15_percent_of_the_simulated_one(
    base, confirm, metrics, n, simulated
):
    design = Design(
        joint=recorded_beside(metrics, n=n, runs=base),
        baseline_runs=base,
        confirm=confirm,
        allowed=0.01,
    )
    seen = design.mde(n, YES)

    assert seen is not None
    assert up_to_a_thousandth(seen) == pytest.approx(simulated, rel=0.15)


def test_power_grows_with_the_drop_and_is_80_percent_where_it_is_printed():
    design = Design(joint=independent_noise(3), confirm=2, allowed=0.01)
    seen = design.mde(200, YES)
    assert seen is not None
    powers = [design.power(drop, 200, YES) for drop in np.linspace(0.005, 0.2, 40)]

    assert design.power(seen, 200, YES) == pytest.approx(0.8, abs=1e-3)
    assert powers == sorted(powers)
    assert powers[-1] > 0.999


def test_a_second_look_shows_smaller_drops_and_costs_few_of_the_large_ones():
    once, confirmed = (Design(confirm=runs) for runs in (0, 2))

    assert (confirmed.mde(200, YES) or 1) < 0.9 * (once.mde(200, YES) or 0)
    assert confirmed.power(0.08, 200, YES) > 0.99


def test_fewer_samples_than_must_break_show_nothing():
    quiet = Noise(0.001, measured=True)

    assert Design().mde(4, quiet) is None
    assert Design().mde(8, quiet) is not None


def test_noise_that_drowns_every_drop_shows_none():
    assert Design().mde(5, Noise(0.9, measured=True)) is None
    assert Design().mde(8, Noise(0.9, measured=True)) is not None


def test_a_drop_as_large_as_the_mean_is_the_largest_there_is():
    low = Noise(0.01, measured=True, mean=0.1, weight=0.9, reach=10.0)

    assert Design(allowed=0.11).mde(500, low) is None
    seen = Design(allowed=0.05).mde(500, low)
    assert seen is not None
    assert 0.05 < seen < 0.1


def test_what_is_allowed_is_the_least_that_shows():
    seen = Design(allowed=0.1, confirm=2).mde(1000, YES)

    assert seen is not None
    assert 0.1 < seen < 0.11


def test_what_is_reworded_hides_more_the_more_it_is():
    design = Design(confirm=2, allowed=0.01)
    drops = [design.mde(200, YES.when_reworded(share)) or 1.0 for share in (0.0, 0.3, 1.0)]

    assert drops == sorted(drops)
    assert drops[0] < 0.95 * drops[1] < 0.95 * drops[2]


# Yes or no, 200 samples, mean .85, q .05, three runs each side, alpha .02, fresh questions. A share
# of the samples that do not break has its chances drawn anew, so that scores move both ways.
@pytest.mark.parametrize(
    "anew", [*(pytest.param(each, marks=by_night) for each in (0.0, 0.1)), 0.3]
)
def test_a_candidates_own_figure_is_the_drop_that_shows_in_four_of_five_of_its_like(anew: float):
    rng = np.random.default_rng(11)
    design = Design(confirm=0, candidate_runs=3)
    reds: dict[float, list[bool]] = {0.7: [], 1.0: [], 1.4: []}
    for factor, drops_seen in reds.items():
        for number in range(60):
            base = draw_chances(rng, (1, 200), 1, 0.05, 0.85)
            other = draw_chances(rng, (1, 200), 1, 0.05, 0.85)
            cand = np.where(rng.random((1, 200, 1)) < anew, other, base)
            clean = play(rng, base, cand, q=0.05, kinds=("yes",), runs=(3, 3))[0, :, :, 0]
            seen = own_figure(design, clean)
            order = rng.permutation(200)
            broken = int(np.searchsorted(np.cumsum(cand[0, order, 0]) / 200, factor * seen))
            cand[0, order[:broken], 0] = 0.0
            scores = play(rng, base, cand, q=0.05, kinds=("yes",), runs=(3, 3))[0]
            block = Block(scores, 3)
            p = step_down(flip(block.differences, seed=number, draws=999))[0]
            drops_seen.append(p <= design.alpha)
    share = {factor: float(np.mean(each)) for factor, each in reds.items()}

    assert share[0.7] < 0.75
    assert 0.6 < share[1.0] < 0.95
    assert share[1.4] > 0.9


def own_figure(design: Design, scores: Floats) -> float:
    """What the report of this candidate prints, from (samples, runs) of three runs each side."""
    noise = measure_noise(scores[:, :3])
    differences = scores[:, 3:].mean(axis=1) - scores[:, :3].mean(axis=1)
    figure = design.mde(len(scores), noise.as_seen(differences, baseline_runs=3, candidate_runs=3))
    assert figure is not None
    return figure


def test_effects_are_rounded_up():
    assert up_to_a_thousandth(0.0441) == 0.045
    assert up_to_a_thousandth(0.044) == 0.044
