"""How far the largest of several metrics reaches by chance."""

from __future__ import annotations

import numpy as np
import pytest

from ragate.core.statistics.joint_noise import ALONE, independent_noise, joint_noise
from ragate.core.statistics.permutation import Block
from ragate.core.statistics.quantiles import normal_quantile


def family(*, shared: float, carriers: float = 1.0, metrics: int = 6) -> Block:
    """Three recorded runs whose noise metrics share in part, carried by a part of the samples."""
    rng = np.random.default_rng(5)
    common = rng.standard_normal((300, 4, 1))
    own = rng.standard_normal((300, 4, metrics))
    noise = np.sqrt(shared) * common + np.sqrt(1 - shared) * own
    noise[int(carriers * 300) :] = 0.0
    return Block(0.5 + 0.05 * noise, 1)


def test_one_metric_needs_the_quantile_of_its_level():
    alone = normal_quantile(0.98)

    assert ALONE.critical_value(0.02) == pytest.approx(alone)
    assert independent_noise(1).critical_value(0.02) == pytest.approx(alone)
    (only,) = joint_noise((family(shared=0.0, metrics=1),))
    assert only.critical_value(0.02) == pytest.approx(alone)


def test_metrics_that_move_apart_need_the_level_shared_out_and_equal_ones_do_not():
    apart, alike = (joint_noise((family(shared=share),))[0] for share in (0.0, 0.999))

    assert apart.critical_value(0.01) == pytest.approx(normal_quantile(1 - 0.01 / 6), rel=0.04)
    assert alike.critical_value(0.01) == pytest.approx(normal_quantile(0.99), rel=0.04)
    assert independent_noise(6).critical_value(0.01) == pytest.approx(
        apart.critical_value(0.01), rel=0.05
    )


def test_what_broke_moves_apart_from_the_other_metrics():
    alike = joint_noise((family(shared=0.999),))[0]

    assert alike.critical_value(0.01, unbroken=0.0) > alike.critical_value(0.01) + 0.05


def test_noise_that_few_samples_carry_reaches_less_far():
    few = joint_noise((family(shared=0.0, carriers=21 / 300),))[0]
    loud = joint_noise((family(shared=0.0),))[0]

    assert few.critical_value(0.002) < loud.critical_value(0.002) + 0.05


@pytest.mark.parametrize("runs", [1, 3])
def test_where_no_runs_differ_one_sample_in_twenty_carries_the_noise(runs: int):
    scores = np.random.default_rng(3).random((200, 1, 2)).repeat(runs + 1, axis=1)

    beside, _ = joint_noise((Block(scores, 1),))

    of_one = normal_quantile(0.99)
    assert of_one <= beside.critical_value(0.01) < normal_quantile(1 - 0.01 / 2) * 1.05


def test_scores_without_any_difference_are_as_one_metric():
    same = joint_noise((Block(np.ones((40, 4, 3)), 1),))

    assert len(same) == 3
    assert same[0].critical_value(0.01) == pytest.approx(normal_quantile(0.99), rel=0.05)
