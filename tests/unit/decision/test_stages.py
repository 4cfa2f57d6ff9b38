"""The two looks at a candidate share alpha."""

import pytest

from ragate.core.stages import Stages, confirmed_level, fast_level


@pytest.mark.parametrize("alpha", [0.01, 0.02, 0.05])
def test_both_looks_together_stay_within_alpha(alpha):
    assert fast_level(alpha) + confirmed_level(alpha) == pytest.approx(alpha)


def test_the_default_levels_are_4_and_16_in_a_thousand():
    assert fast_level(0.02) == pytest.approx(0.004)
    assert confirmed_level(0.02) == pytest.approx(0.016)


def test_a_pass_that_cannot_be_confirmed_has_the_whole_of_alpha():
    assert Stages(0.02).level(1) == 0.02
    assert Stages(0.02).still_wanted(1) == 0


@pytest.mark.parametrize(("passes", "level", "wanted"), [(1, 0.004, 2), (2, 0.004, 1)])
def test_before_all_passes_are_there_only_a_clear_drop_counts(passes, level, wanted):
    stages = Stages(0.02, confirm=2)

    assert stages.level(passes) == pytest.approx(level)
    assert stages.still_wanted(passes) == wanted


@pytest.mark.parametrize("passes", [3, 4])
def test_with_all_passes_the_rest_of_alpha_is_left(passes):
    stages = Stages(0.02, confirm=2)

    assert stages.level(passes) == pytest.approx(0.016)
    assert stages.still_wanted(passes) == 0
