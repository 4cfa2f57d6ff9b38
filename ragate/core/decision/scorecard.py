"""The stages of one sample in one pass: what each counts as, and what they come to together.

What is stored are the scores as they were measured. So a new weight or pass mark needs no new
baseline, and a baseline that was recorded without a scorecard has one as soon as it is named.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain

import numpy as np

from ragate.core.comparison.compare import Comparison
from ragate.core.comparison.pass_columns import pass_column
from ragate.core.comparison.run_passes import run_means
from ragate.core.hashing import digest
from ragate.core.lookup import LazyItems
from ragate.core.rules.metric_case import MetricCase, pass_share, share_of
from ragate.core.statistics.score_columns import Mask
from ragate.core.text.wording import listed
from ragate.models import (
    OVERALL,
    PASSES,
    MetricInfo,
    Needs,
    PassGroup,
    Reads,
    Record,
    Run,
    Sample,
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
TAG = "tag"
MOST_OF_A_KIND = 20
_EVEN = 1e-6
Doubtful = Mapping[str, Collection[str]]
"""By sample, the metrics that apply to it in one pass and not in another."""


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
            score = Score(metric=name, value=info.worst, reason=reason)
        passes = None
        if score.value is not None and stage.pass_at is not None:
            passes = info.reaches(stage.pass_at, score.value)
        stages.append(StageScore(stage, score, passes, stopped=bool(failed)))
        if stage.required and passes is False and not failed:
            failed = stage.name
    return stages


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
    weights = sum(each.stage.weight for each in weighed)
    if not weights:  # only stages without weight apply: what they demand is PASS or FAIL
        return Score(metric=OVERALL, value=float(all(each.passes is not False for each in stages)))
    total = 0.0
    for each in weighed:
        if each.score.value is None:
            return _open(OVERALL, each)
        total += each.stage.weight * infos[each.stage.metric].goodness(each.score.value)
    return Score(metric=OVERALL, value=round(total / weights, _DIGITS))


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
        if not infos[stage.metric].reaches(stage.pass_at, score.value):
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


def pass_groups(
    card: Scorecard, cases: Sequence[MetricCase], comparison: Comparison
) -> Iterator[PassGroup]:
    """Yield the stages in order, then the groups of each kind, the largest first.

    A field that fewer than two values of are there tells nothing and has no group; of each kind
    the largest 20 are told.
    """
    by_name = {case.rule.metric: case for case in cases}
    for stage in card.stages:
        case = by_name.get(stage.metric)
        share = pass_share(case) if case is not None else None
        if share is not None:
            yield PassGroup(
                kind="stage",
                name=stage.name,
                share=share,
                metric=stage.metric,
                weight=stage.weight,
                required=stage.required,
            )
    case = by_name.get(PASSES)
    if case is None or case.column is None:
        return
    rated = pass_column(case.column, 1.0, comparison.unaffected)
    for kind in (TAG, *card.by):
        for name, members, added in _members(kind, comparison):
            part = replace(
                case,
                counted=case.counted & members,
                counted_added=case.counted_added & added,
            )
            yield PassGroup(kind=kind, name=name, share=share_of(part, rated, 1.0))


def _members(kind: str, comparison: Comparison) -> Iterator[tuple[str, Mask, Mask]]:
    """Yield each value of a kind with its matched and its other samples."""
    sides = (comparison.ids, comparison.added)
    values = [[_values(kind, comparison.samples[key]) for key in side] for side in sides]
    sizes = Counter(value for side in values for of_sample in side for value in of_sample)
    if kind != TAG and len(sizes) < 2:
        return
    largest = sorted(sizes, key=lambda value: (-sizes[value], value))[:MOST_OF_A_KIND]
    for value in largest:
        members, added = (
            np.array([value in of_sample for of_sample in side], dtype=bool) for side in values
        )
        yield value, members, added


def _values(kind: str, sample: Sample) -> tuple[str, ...]:
    if kind == TAG:
        return sample.tags
    value = sample.metadata.get(kind)
    return () if value is None else (str(value),)


def staged(run: Run, card: Scorecard | None, *, doubtful: Doubtful | None = None) -> Run:
    """Return the run with its overall score and PASS or FAIL as scores of every record.

    The run itself where there is no scorecard, or a stage was not measured in it at all.

    Args:
        doubtful: What `one_sided` found in the runs that are compared.
    """
    metrics = run.manifest.metrics
    if card is None or any(stage.metric not in metrics for stage in card.stages):
        return run
    make = partial(_staged, card=card, metrics=metrics, doubtful=doubtful or {})
    manifest = run.manifest.amended(metrics={**metrics, **made_infos(card, metrics)})
    return run.amended(manifest=manifest, records=LazyItems(run.records, make))


def staged_runs(
    card: Scorecard | None, baseline: Run | None, candidate: Run
) -> tuple[Run | None, Run]:
    """Return the runs that are compared as the scorecard sees them.

    Of a candidate that leaves stages out both sides are seen by those that are left.
    """
    card = card and card.without(candidate.manifest.left_out)
    if card is None:
        return baseline, candidate
    doubtful = one_sided([run for run in (baseline, candidate) if run is not None], card)
    viewed = baseline and staged(baseline, card, doubtful=doubtful)
    return viewed, staged(candidate, card, doubtful=doubtful)


def unmeasured_note(card: Scorecard, left_out: Collection[str]) -> list[str]:
    """Return that PASS and FAIL are those of some stages only, where a run left others out."""
    names = [stage.name for stage in card.stages if stage.metric in left_out]
    if not names:
        return []
    kept = len(card.stages) - len(names) if card.without(left_out) is not None else 0
    if not kept:
        return [f"the scorecard was left out; not measured: {listed(names)}"]
    stages = f"{kept} of {len(card.stages)} stages"
    return [f"pass_rate and overall_score are those of {stages}; not measured: {listed(names)}"]


def means_of(run: Run, card: Scorecard | None) -> dict[str, float]:
    """Return the mean of every metric as it was measured, and of those that the scorecard makes."""
    means, viewed = run_means(run), staged(run, card)
    if viewed is run:
        return means
    made = run_means(viewed)
    return means | {name: made[name] for name in (OVERALL, PASSES) if name in made}


def made_scores(
    card: Scorecard, infos: Mapping[str, MetricInfo], scores: Mapping[str, Score]
) -> dict[str, Score]:
    """Return the overall score, and PASS or FAIL, of one output."""
    made = sample_scores(card, infos, read_stages(card, infos, scores))
    return {score.metric: score for score in made}


def weight_note(card: Scorecard | None) -> tuple[str, ...]:
    """Return that the weights were normalised, where they do not sum to 1 as written."""
    if card is None or abs(card.weights - 1.0) < _EVEN:
        return ()
    return (f"weights of the scorecard sum to {card.weights:g}: each counts by its share",)


def one_sided(runs: Sequence[Run], card: Scorecard | None) -> Doubtful:
    """Return where a stage applies in one pass of a sample and not in another.

    That is decided from the sample alone, so it only happens to metrics of others. Such a stage is
    not measured there: an output that leaves nothing to measure must not raise the score.
    """
    metrics = [stage.metric for stage in card.stages] if card is not None else []
    silent: defaultdict[str, set[str]] = defaultdict(set)
    valued: defaultdict[str, set[str]] = defaultdict(set)
    for record in chain.from_iterable(run.records for run in runs) if metrics else ():
        for name in metrics:
            score = record.scores.get(name)
            if score is not None and score.state is ScoreState.NOT_APPLICABLE:
                silent[record.sample_id].add(name)
            elif score is not None and score.value is not None:
                valued[record.sample_id].add(name)
    return {key: doubtful for key, names in silent.items() if (doubtful := names & valued[key])}


def made_infos(card: Scorecard, metrics: Mapping[str, MetricInfo]) -> dict[str, MetricInfo]:
    """Return what is known of the two metrics: they need, and read, what their stages do."""
    stages = [metrics[stage.metric] for stage in card.stages]
    identity = [[info.name, info.version, info.fingerprint] for info in stages]
    order = (Needs.JUDGE, Needs.MODEL, Needs.EMBEDDINGS, Needs.NOTHING)
    needs = next(each for each in order if any(info.needs is each for info in stages))
    widest = (Reads.RUN, Reads.ANSWER, Reads.RETRIEVAL)
    reads = next(each for each in widest if any(info.reads is each for info in stages))
    return {
        name: MetricInfo(name=name, reads=reads, needs=needs, fingerprint=digest(identity))
        for name in (OVERALL, PASSES)
    }


def _staged(
    record: Record, *, card: Scorecard, metrics: Mapping[str, MetricInfo], doubtful: Doubtful
) -> Record:
    """Return a record with the scores of a scorecard."""
    scores: dict[str, Score] = dict(record.scores)
    for name in doubtful.get(record.sample_id, ()):
        if scores[name].state is ScoreState.NOT_APPLICABLE:
            scores[name] = unscored(name, ONE_SIDED)
    stages = read_stages(card, metrics, scores)
    # A metric with a table of its own is held as without a scorecard: the same value on both
    # sides would hide what became of it.
    shown = {each.stage.metric: each.score for each in stages if not each.stage.own_row}
    made = {each.metric: each for each in sample_scores(card, metrics, stages)}
    return record.amended(scores={**record.scores, **shown, **made})
