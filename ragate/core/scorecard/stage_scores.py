"""The stages of one sample in one pass: what each counts as, and what they come to together."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ragate.models import (
    OVERALL,
    PASSES,
    Direction,
    MetricInfo,
    Score,
    Scorecard,
    ScorecardStage,
    ScoreState,
    not_applicable,
    unscored,
)

_SLACK = 1e-9
_DIGITS = 6
NO_STAGE = "no stage of the scorecard applies"
ONE_SIDED = "nothing to measure here, but a value on the other side"


@dataclass(frozen=True)
class StageScore:
    """One stage of one sample.

    Attributes:
        score: As it counts: at its worst where a required stage before it failed.
        passes: Whether it reaches its pass mark; None where there is no mark, or no value.
        stopped: Whether a required stage before it failed.
    """

    stage: ScorecardStage
    score: Score
    passes: bool | None = None
    stopped: bool = False


def reaches(info: MetricInfo, mark: float, value: float) -> bool:
    """Return whether a value reaches a pass mark, in the metric's own unit."""
    if info.direction is Direction.HIGHER:
        return value >= mark - _SLACK
    return value <= mark + _SLACK


def read_stages(
    card: Scorecard, infos: Mapping[str, MetricInfo], scores: Mapping[str, Score]
) -> list[StageScore]:
    """Return the stages in order; a sample that fails a required one is at its worst from there on.

    So it is on both sides, whether the later ones were measured or not. What does not apply to the
    sample stays out. A required stage without a value stops nothing.

    Args:
        infos: Of every stage's metric.
    """
    stages: list[StageScore] = []
    failed = ""
    for stage in card.stages:
        name, info = stage.metric, infos[stage.metric]
        score = scores.get(name) or unscored(name, "no score was recorded")
        if failed and score.state is not ScoreState.NOT_APPLICABLE:
            reason = f"counts at its worst: the required stage {failed} failed"
            score = Score(metric=name, value=worst_value(info), reason=reason)
        passes = None
        if score.value is not None and stage.pass_at is not None:
            passes = reaches(info, stage.pass_at, score.value)
        stages.append(StageScore(stage, score, passes, stopped=bool(failed)))
        if stage.required and passes is False and not failed:
            failed = stage.name
    return stages


def worst_value(info: MetricInfo) -> float:
    """Return the worst end of a metric's range.

    Raises:
        ValueError: it has none; the configuration refuses such a stage.
    """
    worst = info.low if info.direction is Direction.HIGHER else info.high
    if worst is None:
        raise ValueError(f"{info.name} has no worst value")
    return worst


def sample_scores(
    card: Scorecard, infos: Mapping[str, MetricInfo], stages: Sequence[StageScore]
) -> Iterator[Score]:
    """Yield what the stages come to: the overall score, then 1 for PASS or 0 for FAIL.

    A stage that was not measured leaves the overall score open. It leaves PASS or FAIL open only
    where no other stage has failed.
    """
    overall = _overall(infos, stages)
    yield overall
    if overall.state is ScoreState.NOT_APPLICABLE:
        yield replace(overall, metric=PASSES)
        return
    failed = [each for each in stages if each.passes is False and not each.stopped]
    if failed:
        names = ", ".join(each.stage.name for each in failed)
        yield Score(metric=PASSES, value=0.0, reason=f"failed: {names}")
        return
    yield _without_failed_stage(card, overall, stages)


def _without_failed_stage(card: Scorecard, overall: Score, stages: Sequence[StageScore]) -> Score:
    for each in stages:
        if each.score.state is ScoreState.UNSCORED and each.stage.pass_at is not None:
            return _open(PASSES, each)
    if card.pass_at is None:
        return Score(metric=PASSES, value=1.0)
    if overall.value is None:
        return replace(overall, metric=PASSES)
    if overall.value >= card.pass_at - _SLACK:
        return Score(metric=PASSES, value=1.0)
    reason = f"the overall score {overall.value:g} is below {card.pass_at:g}"
    return Score(metric=PASSES, value=0.0, reason=reason)


def _overall(infos: Mapping[str, MetricInfo], stages: Sequence[StageScore]) -> Score:
    """Return the weighted mean of the stages that apply, each mapped to 0 (worst) to 1 (best)."""
    applicable = [each for each in stages if each.score.state is not ScoreState.NOT_APPLICABLE]
    if not applicable:
        return not_applicable(OVERALL, NO_STAGE)
    weighed = [each for each in applicable if each.stage.weight > 0]
    missing = [each for each in weighed if each.score.value is None]
    if missing:
        return _open(OVERALL, missing[0])
    weights = sum(each.stage.weight for each in weighed)
    if not weights:  # only stages without weight apply: what they demand is PASS or FAIL
        return Score(metric=OVERALL, value=float(all(each.passes is not False for each in stages)))
    total = sum(each.stage.weight * _share(infos, each) for each in weighed)
    return Score(metric=OVERALL, value=round(total / weights, _DIGITS))


def _share(infos: Mapping[str, MetricInfo], each: StageScore) -> float:
    info = infos[each.stage.metric]
    assert each.score.value is not None
    assert info.high is not None
    share = (each.score.value - info.low) / (info.high - info.low)
    return share if info.direction is Direction.HIGHER else 1.0 - share


def _open(metric: str, stage: StageScore) -> Score:
    return unscored(metric, f"{stage.stage.name}: {stage.score.reason}")


def stopped_stages(
    card: Scorecard, infos: Mapping[str, MetricInfo], scores: Mapping[str, Score]
) -> frozenset[str]:
    """Return the metrics of the stages after a required one that has failed.

    What has no score yet has not failed. A stage whose metric has a row of its own is never one.
    """
    for number, stage in enumerate(card.stages):
        score = scores.get(stage.metric)
        if not stage.required or stage.pass_at is None or score is None or score.value is None:
            continue
        if not reaches(infos[stage.metric], stage.pass_at, score.value):
            return _without_own_row(card.stages[number + 1 :])
    return frozenset()


def waiting_stages(card: Scorecard, scores: Mapping[str, Score]) -> frozenset[str]:
    """Return those that a required stage without a score may still stop."""
    for number, stage in enumerate(card.stages):
        if stage.required and stage.metric not in scores:
            return _without_own_row(card.stages[number + 1 :])
    return frozenset()


def _without_own_row(stages: Sequence[ScorecardStage]) -> frozenset[str]:
    return frozenset(stage.metric for stage in stages if not stage.own_row)
