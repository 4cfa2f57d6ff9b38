"""The planning figures at their limits, where a search or a comparison could slip by one."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from ragate.core.power import (
    Design,
    Noise,
    _by_limit,
    _by_noise,
    mde,
    power_plot,
    runs_needed,
    samples_needed,
    up_to_a_point,
)
from ragate.models import Rule
from tests.unit.decision.decision_factories import judge, noisy_pair, row_of

NOISE = Noise(0.05, known=True)


def around_the_turn(
    holds: Callable[[float], bool], low: float, high: float, *, each_way: int = 100
) -> Iterator[float]:
    """Yield the floats next to the place between `low` and `high` where `holds` ceases."""
    assert holds(low)
    assert not holds(high)
    while (middle := (low + high) / 2) not in (low, high):
        low, high = (middle, high) if holds(middle) else (low, middle)
    value = low
    for _ in range(each_way):
        value = math.nextafter(value, -math.inf)
    for _ in range(2 * each_way):
        yield value
        value = math.nextafter(value, math.inf)


@pytest.mark.parametrize("n", range(6, 21))  # of some n, a float puts it exactly at the turn
@pytest.mark.parametrize(
    "effect",
    [
        lambda n, shared: _by_noise(n, shared, 1.0, 0.02, 3),
        lambda n, shared: _by_limit(n, shared, 1.0, 0.5),
    ],
    ids=["by noise", "by limit"],
)
def test_noise_that_hides_just_the_largest_drop_never_makes_a_small_one_visible(effect, n):
    turn = around_the_turn(lambda shared: effect(n, shared) < 1, 0.1, 20.0)
    near = [effect(n, shared) for shared in turn]

    assert 0.999 < min(near) < 1
    assert max(near) == 1


def test_what_is_returned_is_less_than_everything():
    def effect(min_drop: float) -> float | None:
        return mde(1000, Noise(0.01, known=True), alpha=0.02, min_drop=min_drop)

    turn = around_the_turn(lambda least: effect(least) is not None, 0.5, 1.0)
    near = [effect(least) for least in turn]

    assert None in near
    assert all(found is None or 0.99999 < found < 1 - 1e-6 for found in near)
    assert any(found is not None for found in near)


def test_without_a_smallest_drop_the_limit_adds_nothing_at_any_level():
    found = mde(10, Noise(0.9, known=True), alpha=0.9)

    assert found == pytest.approx(1 - 0.2**0.1)


def test_a_drop_within_the_tolerance_of_what_is_seen_is_shown():
    exact = 0
    for n in range(40, 80):
        seen = Design(baseline_runs=1).mde(n, NOISE)
        assert seen is not None
        if (seen - 1e-9) + 1e-9 == seen:
            exact += 1
            assert runs_needed(seen - 1e-9, n, NOISE, Design()) == 1
        assert runs_needed(seen - 2e-9, n, NOISE, Design()) != 1
    assert exact > 0


@pytest.mark.parametrize("n", [65_536, 65_537, 80_000, 100_000, 100_001])
def test_up_to_a_hundred_thousand_samples_are_found_and_no_more(n):
    design = Design(min_drop=0.0)
    seen = design.mde(n, NOISE)
    assert seen is not None

    assert samples_needed(seen, NOISE, design) == (n if n <= 100_000 else None)


def test_a_large_drop_has_its_points_and_a_bar_of_half_as_many_signs():
    seen = Design().mde(4, Noise())
    assert seen is not None
    assert round(seen * 50) != round(seen * 51)
    line = power_plot((4,), Noise(), Design()).splitlines()[1]

    assert line.split() == ["4", f"{up_to_a_point(seen) * 100:.0f}", "#" * round(seen * 50)]


def test_a_metric_that_gates_nothing_has_the_p_of_1999_draws():
    rng = np.random.default_rng(5)
    pair = noisy_pair(rng.random((60, 3)), rng.random((60, 1)))
    gates, shown = (
        row_of(judge(pair, Rule(metric="faithfulness", level=level)), "faithfulness").p
        for level in ("error", "warn")
    )

    assert gates is not None
    assert shown is not None
    assert shown == pytest.approx(gates, abs=0.05)
    assert shown * 2_000 == pytest.approx(round(shown * 2_000), abs=1e-9)
    assert gates * 2_000 != pytest.approx(round(gates * 2_000), abs=1e-9)
