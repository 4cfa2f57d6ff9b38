"""How often a report says that a harmless change fails."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from scipy import stats

from ragate.models import Decision, MetricInfo, Needs, Rule
from tests.unit.core.decision_factories import judge
from tests.unit.core.rules.slice_factories import pair, tagged

N = 120
NAMES = ("faithfulness", "correctness")
INFOS = tuple(MetricInfo(name=name, needs=Needs.JUDGE) for name in NAMES)


def decided(
    noise: Any, *, floors: int, room: float = 0.02, runs: int = 3, **manifest: Any
) -> Decision:
    """Decide on what two metrics lose in a tenth of the questions of each run, by `noise`.

    Args:
        noise: (questions, runs, metrics) True where a run loses; the baseline's runs first.
        floors: How many metrics have a floor, `room` below the baseline's mean.
    """
    scores = np.where(noise, 0.0, 1.0)
    before, after = scores[:, :runs], scores[:, runs:]
    means = before.mean(axis=(0, 1))
    limits = [float(mean) - room if at < floors else None for at, mean in enumerate(means)]
    rules = [Rule(metric=name, minimum=at) for name, at in zip(NAMES, limits, strict=True)]
    return judge(pair(tagged({}, rest=N), before, after, infos=INFOS, **manifest), *rules)


def said(decision: Decision, words: str) -> float:
    """Return the chance that the report says, 0 where it says none."""
    found = re.findall(words, " ".join(decision.lines))
    return 1 / int(found[0]) if found else 0.0


def by_floors(decision: Decision) -> float:
    return said(decision, r"about 1 in (\d+) by floors")


def noise_of(*, alike: bool, passes: int = 4) -> Any:
    lost = np.random.default_rng(7).random((N, passes, 2)) < 0.1
    return lost[:, :, [0, 0]] if alike else lost


def test_floors_that_are_missed_together_count_once() -> None:
    together, apart = noise_of(alike=True), noise_of(alike=False)

    assert by_floors(decided(together, floors=2)) == by_floors(decided(together, floors=1)) > 0.05
    assert by_floors(decided(apart, floors=2)) > 1.4 * by_floors(decided(apart, floors=1))


def test_the_sum_counts_once_what_is_red_by_its_floor_and_by_its_test() -> None:
    decision = decided(noise_of(alike=True), floors=1)

    together = said(decision, r"together about 1 in (\d+)")
    assert by_floors(decision) <= together < by_floors(decision) + 0.01


def test_a_first_run_that_a_confirmation_clears_is_no_false_alarm() -> None:
    noise = noise_of(alike=True)
    once, confirmed = (
        by_floors(decided(noise, floors=1, room=0.05, confirm=more)) for more in (0, 2)
    )

    assert 0 < confirmed < 0.7 * once


def test_one_floor_and_one_look_is_the_chance_of_one_mean() -> None:
    noise = noise_of(alike=True)
    of_a_run = np.where(noise, 0.0, 1.0)[:, :3, 0].var(axis=1, ddof=1).mean() / N
    chance = stats.norm.sf(0.05 / np.sqrt(of_a_run * (1 + 1 / 3)))

    alone = by_floors(decided(noise, floors=1, room=0.05, confirm=0))

    assert alone == pytest.approx(chance, rel=0.1)


def test_clusters_that_lose_together_miss_their_floor_more_often() -> None:
    lost = np.random.default_rng(7).random((N // 6, 4, 1)) < 0.1
    noise = np.repeat(np.repeat(lost, 6, axis=0), 2, axis=2)
    samples = [
        each.amended(metadata={"doc": f"d{row // 6}"})
        for row, each in enumerate(tagged({}, rest=N))
    ]
    scores = np.where(noise, 0.0, 1.0)
    rules = [Rule(metric=NAMES[0], minimum=float(scores[:, :3].mean()) - 0.05)]

    alone, clustered = (
        by_floors(
            judge(pair(samples, scores[:, :3], scores[:, 3:], infos=INFOS, cluster=key), *rules)
        )
        for key in ("", "doc")
    )

    assert clustered > 1.5 * alone


def test_one_baseline_run_tells_nothing_of_floors_and_says_so() -> None:
    held, free = (
        decided(noise_of(alike=True, passes=2), floors=floors, runs=1) for floors in (2, 0)
    )

    assert by_floors(held) == 0.0
    assert "by floors: not known from one baseline run" in " ".join(held.lines)
    assert "by floors" not in " ".join(free.lines)


def test_floors_of_what_another_judge_scored_are_in_no_sum() -> None:
    decision = decided(noise_of(alike=True), floors=2, judge="judge-2")

    assert "by floors" not in " ".join(decision.lines)
