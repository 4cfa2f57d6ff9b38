"""How many samples must get worse before a metric can fail."""

from __future__ import annotations

import pytest

from ragate.core.statistics.looks import Stages
from ragate.core.statistics.power import fewest_losses, losses_to_fail


@pytest.mark.parametrize(("passes", "fewest"), [(1, 2), (3, 2)])
def test_a_set_that_only_a_confirmation_can_fail_is_not_called_too_small(passes, fewest):
    stages = Stages(0.02, confirm=2)

    losses = losses_to_fail(stages, passes, (3, passes), flips=False)

    assert losses == fewest  # 20 ** -2 with all passes, after 4 ** -2 = 0.06 in the first look


def test_without_a_confirmation_one_look_decides_how_many_must_break():
    losses = losses_to_fail(Stages(0.02), 1, (3, 1), flips=False)

    assert losses == 3


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
    assert fewest_losses(level, (base, cand), flips=flips) == losses
