"""The fewest samples and runs that show a drop."""

from __future__ import annotations

from dataclasses import replace

from ragate.core.statistics.metric_noise import Noise
from ragate.core.statistics.power import Design, runs_needed, samples_needed

YES = Noise(0.05, measured=True, mean=0.85, weight=0.97, reach=1 / 0.85)


def test_the_samples_that_are_needed_are_the_fewest():
    design = Design(confirm=2)
    needed = samples_needed(0.05, YES, design)

    assert needed is not None
    assert design.shows(0.05, needed, YES)
    assert not design.shows(0.05, needed - 1, YES)
    assert samples_needed(0.019, YES, Design(allowed=0.02)) is None


def test_the_runs_that_are_needed_are_the_fewest():
    design = Design(confirm=2)
    needed = runs_needed(0.11, 60, YES, design)

    assert needed is not None
    assert needed > 1
    assert replace(design, baseline_runs=needed).shows(0.11, 60, YES)
    assert not replace(design, baseline_runs=needed - 1).shows(0.11, 60, YES)
    assert runs_needed(0.01, 50, YES, design) is None
    assert runs_needed(0.6, 50, YES, design) == 1
