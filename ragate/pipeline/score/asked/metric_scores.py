"""One metric's scores: its own or a judge's, rounded, and none that is out of its range."""

import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import cast

from ragate.models import MetricInfo, Needs, Sample, Score, SystemOutput, unscored
from ragate.protocols import Aggregate, JudgedAggregate, JudgeMetric, Metric, Pair

DIGITS = 6
_OWN_CODE = Path(__file__).parents[3]
Judgements = Callable[[Sample, SystemOutput], Mapping[str, Score]]


def sample_scores(
    metric: Metric | Aggregate, pairs: Sequence[Pair], judged: Sequence[Mapping[str, Score]]
) -> list[Score]:
    """Return one score a pair, rounded as the baseline rounds them.

    A plugin that raises, or that returns a value out of its own range, has measured nothing.

    Args:
        judged: A judge's scores of each pair by criterion; empty where no judge is asked.
    """
    info = metric.info
    if judged and info.needs is Needs.JUDGE:
        criterion = cast("JudgeMetric", metric).criterion
        return [_checked(_named(scores[criterion], info.name), info) for scores in judged]
    try:
        given: object = cast("Metric", metric).score_samples(pairs)
        scores = list(given) if isinstance(given, Iterable) else None
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a metric may be foreign code
        return [raised(info, error)] * len(pairs)
    if scores is None:  # foreign code keeps to no type
        reason = f"score_samples gave a {type(given).__name__}, not a list of scores"
        return [unscored(info.name, reason)] * len(pairs)
    if len(scores) != len(pairs):
        reason = f"{len(scores)} scores for {len(pairs)} samples"
        return [unscored(info.name, reason)] * len(pairs)
    return [_checked(score, info) for score in scores]


def aggregate_score(
    metric: Metric | Aggregate, pairs: Sequence[Pair], judgements: Judgements | None
) -> Score:
    """Return the value over a whole pass.

    Args:
        judgements: Gives a judge's scores by criterion; None where no judge is asked.
    """
    info = metric.info
    try:
        if judgements is not None and info.needs is Needs.JUDGE:
            judged = cast("JudgedAggregate", metric)
            criterion = judged.criterion
            score = judged.combine([judgements(*pair)[criterion] for pair in pairs])
        else:
            score = cast("Aggregate", metric).aggregate(pairs)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a metric may be foreign code
        score = raised(info, error)
    return _checked(score, info)


def raised(info: MetricInfo, error: BaseException) -> Score:
    """Return the score of a metric whose code failed: none, with what it raised."""
    return unscored(info.name, f"{type(error).__name__}: {error}"[:200] + _place(error))


def _place(error: BaseException) -> str:
    """Return the line of foreign code that raised, in brackets; "" where ours did."""
    frames = traceback.extract_tb(error.__traceback__)
    if not frames or Path(frames[-1].filename).is_relative_to(_OWN_CODE):
        return ""
    return f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})"


def _named(score: Score, name: str) -> Score:
    return score if score.metric == name else replace(score, metric=name)


def _checked(score: object, info: MetricInfo) -> Score:
    if not isinstance(score, Score):
        return unscored(info.name, f"the metric gave a {type(score).__name__}, not a score")
    if not isinstance(score.reason, str):
        score = replace(score, reason="")
    if score.value is None:
        return score
    high = float("inf") if info.high is None else info.high
    if not info.low - 1e-9 <= score.value <= high + 1e-9:
        return unscored(info.name, f"{score.value} is outside {info.low} to {high}")
    value = round(float(score.value), DIGITS)
    if (value, info.name) == (score.value, score.metric) and type(score.value) is float:
        return score
    return Score(metric=info.name, value=value, reason=score.reason)
