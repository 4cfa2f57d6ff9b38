"""Where a file takes its own scores back, and what its pass marks say."""

from pathlib import Path

import numpy as np
import pytest

from ragate.models import Direction
from ragate.scores.did_not_run import (
    PASSED,
    consistent,
    direction_by_flags,
    follows_from,
    marks_of_absence,
    without_other_units,
)
from ragate.scores.score_table import ScoreTable
from ragate.scores.scored_row import Facts


def table(flags: list[int] | None = None, **columns: list[float]) -> ScoreTable:
    """Return one run of a sample for each score; the mark of a metric with flags is 0.5."""
    count = len(next(iter(columns.values())))
    return ScoreTable(
        paths=(Path("scores.jsonl"),),
        facts=Facts(reader="plain"),
        keys=[f"q{number}" for number in range(count)],
        rows=np.arange(count).reshape(count, 1),
        columns={name: np.array(values, dtype=float) for name, values in columns.items()},
        lacks={name: {} for name in columns},
        marks={"zeal": 0.5} if flags else {},
        flags={"zeal": np.array(flags)} if flags else {},
    )


@pytest.mark.parametrize(
    ("name", "values", "absent"),
    [
        ("mood", [-1, 3, 4], [True, False, False]),
        ("mood", [-1, -99, 3], [False, False, False]),
        ("mood", [-2, 3, 4], [False, False, False]),
        ("mood", [-1, 0, 1], [False, False, False]),
        ("mood", [-1, -1, np.nan], [False, False, False]),
        ("faithfulness", [-1, 0, 1], [True, False, False]),
        ("score_delta", [-1, 3, 4], [False, False, False]),
    ],
)
def test_one_marker_below_zero_is_no_score_unless_it_may_be_one(
    name: str, values: list[float], absent: list[bool]
) -> None:
    assert marks_of_absence(name, np.array(values, dtype=float)).tolist() == absent


@pytest.mark.parametrize(
    ("flags", "direction"),
    [
        ([1, 1, 0], Direction.HIGHER),
        ([0, 0, 1], Direction.LOWER),
        ([-1, -1, -1], None),
        ([1, -1, 1], None),
        (None, None),
    ],
)
def test_flags_beside_a_mark_say_which_way_is_good(
    flags: list[int] | None, direction: Direction | None
) -> None:
    assert direction_by_flags(table(flags, zeal=[0.9, 0.8, 0.1]), "zeal") is direction


def test_scores_that_their_flags_contradict_are_taken_back() -> None:
    contradicted = consistent(table([1, 1, 0, 1], zeal=[0.9, 0.8, 0.1, 0.2]))

    assert np.isnan(contradicted.columns["zeal"]).tolist() == [False, False, False, True]


@pytest.mark.parametrize(
    ("passed", "metric"),
    [([1, 1, 0], "zeal"), ([0, 0, 1], "zeal"), ([1, 0, 1], ""), ([1, 1, 1], ""), ([0, 0, 0], "")],
)
def test_what_passed_follows_from_a_metric_whose_one_mark_divides_it(
    passed: list[float], metric: str
) -> None:
    side = table(zeal=[0.9, 0.8, 0.1], passed=passed)

    assert follows_from(PASSED, (side, side), [PASSED, "gone", "zeal"]) == metric


@pytest.mark.parametrize(
    ("after", "scores"),
    [([90, 80, 10, 0], 0), ([0.9, 0.8, 0.1, 0], 4), ([90, 80, 0, 0], 4)],
    ids=["percent", "shares", "too few to tell"],
)
def test_percent_beside_shares_is_no_score(after: list[float], scores: int) -> None:
    before = table(zeal=[0.9, 0.8, 0.1, 0])

    compared = without_other_units(before, table(zeal=after), "zeal")

    assert np.isfinite(compared.columns["zeal"]).sum() == scores
