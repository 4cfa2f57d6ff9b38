"""When a variant is worse, and when it is proven safe."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.tried_settings import PICTURE, picture, read_results
from ragate.config import load_config
from ragate.contrib.tryout.verdicts import (
    Look,
    is_doubtful,
    least_questions,
    level_of,
    look_at,
    loses_less,
    smallest_margin,
)
from ragate.core.statistics.score_columns import Floats
from ragate.models import MetricInfo, Run
from tests.factories import record_factory, run_factory, sample_factory
from tests.night import NIGHT
from tests.projects import ReplayProject

METRIC = "token_f1"
N = 120


def run_of(values: Floats) -> Run:
    records = [
        record_factory(sample_factory(f"q{number}"), scores={METRIC: float(value)})
        for number, value in enumerate(values)
    ]
    return run_factory(records, metrics={METRIC: MetricInfo(name=METRIC)})


@pytest.mark.parametrize("seed", range(3 if NIGHT else 1))
def test_equal_variants_are_hardly_ever_worse(tmp_path: Path, seed: int) -> None:
    bits = np.random.default_rng(seed)

    found = [look(tmp_path, bits, falls=[0.0] * 4) for _ in range(20)]

    assert sum(any(map(each.worse, each.held)) for each in found) <= 2


def test_one_that_falls_is_worse_and_the_others_are_not(tmp_path: Path) -> None:
    seen = look(tmp_path, np.random.default_rng(1), falls=[0.0, 0.3])

    assert [seen.worse(name) for name in ("0", "1")] == [False, True]
    assert not seen.safe("1")


def test_a_gain_is_neither_worse_nor_asked_again(tmp_path: Path) -> None:
    seen = look(tmp_path, np.random.default_rng(1), falls=[-0.2])

    assert (seen.worse("0"), seen.doubtful(0.2, alpha=0.02)) == (False, frozenset())


@pytest.mark.parametrize(
    ("p", "drop", "again"),
    [
        (0.05, 0.06, True),
        (0.2, 0.06, False),  # it is none, as far as can be told
        (0.05, 0.02, False),  # too small to become worse
        (0.001, 0.06, False),  # proven, and not as large as is allowed
        (0.001, 0.09, True),  # between two looks, of which only the last calls it worse
        (0.05, -0.06, False),
    ],
)
def test_only_a_fall_that_may_yet_be_worse_is_looked_at_again(
    p: float, drop: float, again: bool
) -> None:
    assert is_doubtful(p, drop, 0.08, limit=0.1, alpha=0.02) is again


@pytest.mark.parametrize("further", [0, 1, 2])
def test_all_looks_together_have_alpha(further: int) -> None:
    levels = [level_of(look, further=further, alpha=0.02) for look in range(1 + further)]

    assert sum(levels) == pytest.approx(0.02)


def look(root: Path, bits: np.random.Generator, *, falls: list[float]) -> Look:
    if not (root / "ragate.toml").exists():
        ReplayProject(root, samples=2)
    config = load_config(root / "ragate.toml")
    samples = [sample_factory(f"q{number}") for number in range(N)]

    def drawn(fall: float) -> Run:
        return run_of(np.clip(bits.normal(0.6 - fall, 0.2, N), 0, 1))

    others = {str(number): drawn(fall) for number, fall in enumerate(falls)}
    return look_at(config, samples, drawn(0.0), others)


def test_a_small_set_proves_nothing_safe() -> None:
    assert not loses_less(np.zeros(20), 0.01, 0.01)
    assert loses_less(np.zeros(900), 0.01, 0.01)


def test_what_loses_more_than_the_margin_is_not_safe() -> None:
    differences = np.zeros(900)
    differences[:45] = -1.0

    assert not loses_less(differences, 0.05, 0.01)
    assert smallest_margin(differences, 0.01) == pytest.approx(0.08, abs=0.02)


def test_a_true_fall_of_the_margin_is_hardly_ever_called_safe() -> None:
    bits = np.random.default_rng(2)
    wrong = 0
    for _ in range(2000):
        differences = np.where(bits.random(200) < 0.1, -1.0, 0.0)
        wrong += loses_less(differences, 0.1, 0.01)

    assert wrong <= 20


def test_the_picture_of_the_page_is_the_one_of_the_results() -> None:
    assert picture(read_results()) == PICTURE.read_text()


def test_so_many_questions_as_are_told_prove_a_variant_safe() -> None:
    least = least_questions(0.05, 0.005)

    assert loses_less(np.zeros(least), 0.05, 0.005)
    assert not loses_less(np.zeros(least - 1), 0.05, 0.005)
