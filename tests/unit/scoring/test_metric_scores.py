"""What foreign code gives in place of scores is unscored, with the reason and its line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from ragate.models import MetricInfo, Sample, Score, SystemOutput
from ragate.scoring.metric_records import sample_scores

PAIR = (Sample(id="q", query="x"), SystemOutput(answer="x"))


class Mine:
    info = MetricInfo(name="mine")
    state: dict[str, float] = {}

    def __init__(self, give: Callable[[], Any]) -> None:
        self._give = give

    def score_samples(self, _pairs: Any) -> Any:
        return self._give()


def fails() -> Any:
    raise KeyError("none")


def counted() -> Iterator[Score]:
    yield Score(metric="mine", value=0.5)


@pytest.mark.parametrize(
    ("give", "reason"),
    [
        (fails, "KeyError: 'none' (test_metric_scores.py:28)"),
        (lambda: None, "score_samples gave a NoneType, not a list of scores"),
        (lambda: 0.5, "score_samples gave a float, not a list of scores"),
        (lambda: [0.5], "the metric gave a float, not a score"),
        (list, "0 scores for 1 samples"),
        (
            lambda: [Score(metric="mine", value=float("nan"))],
            "ValueError: mine: a value score cannot hold nan",  # raised by ours: no line of theirs
        ),
    ],
)
def test_what_is_no_score_is_unscored_with_the_reason(give: Callable[[], Any], reason: str) -> None:
    (found,) = sample_scores(Mine(give), [PAIR], ())

    assert (found.value, found.reason) == (None, reason)


def test_scores_may_come_one_by_one() -> None:
    (found,) = sample_scores(Mine(counted), [PAIR], ())

    assert found.value == 0.5
