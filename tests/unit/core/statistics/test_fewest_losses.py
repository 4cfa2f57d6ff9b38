"""How many samples must get worse before a metric can fail."""

from __future__ import annotations

import pytest

from ragate.core.statistics.looks import Stages
from ragate.core.statistics.power import fewest_losses, losses_to_fail


def test_a_set_that_only_a_confirmation_can_fail_is_not_called_too_small():
    """Seven losses reach the first look's level, five that of all passes."""
    assert losses_to_fail(Stages(0.02, confirm=2), passes=1) == 5
    assert losses_to_fail(Stages(0.02, confirm=2), passes=3) == 5


def test_without_a_confirmation_one_look_decides_how_many_must_break():
    assert losses_to_fail(Stages(0.02), passes=1) == 5
    assert losses_to_fail(Stages(0.02), passes=1, metrics=6) == 8


@pytest.mark.parametrize(
    ("level", "losses"), [(0.05, 4), (0.05 / 6, 6), (0.25, 1), (0.125, 2), (0.5, 1), (0.02, 5)]
)
def test_the_fewest_losses_that_can_fail(level, losses):
    assert fewest_losses(level) == losses
