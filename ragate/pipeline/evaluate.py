"""From outputs to records: every metric on every sample of every pass."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import cast

from ragate import plugins
from ragate.config import Config, check_rule
from ragate.core.hashing import content_hash, output_hash, retrieval_hash
from ragate.errors import PluginError
from ragate.models import (
    MetricInfo,
    Needs,
    Record,
    Run,
    RunManifest,
    Sample,
    Score,
    ScoreState,
    SystemOutput,
    unscored,
)
from ragate.pipeline.collect import Outputs
from ragate.protocols import Aggregate, JudgeMetric, Metric, Pair

DIGITS = 6
Verdicts = Callable[[Sample, SystemOutput], Mapping[str, Score]]


def make_metrics(
    config: Config,
    samples: Sequence[Sample],
    *,
    states: Mapping[str, Mapping[str, float]],
) -> list[Metric | Aggregate]:
    """Return the metrics that the policy asks for, without the ones of level ``off``.

    Args:
        states: The baseline's tables by metric: a metric takes its own rather than fit a new one.
    """
    made = []
    for rule in config.policy.metrics:
        if rule.level == "off":
            continue
        metric = plugins.metric(
            rule.metric,
            settings=config.metric_settings.get(rule.metric, {}),
            samples=samples,
            state=states.get(rule.metric),
        )
        if metric.info.name != rule.metric:
            raise PluginError(
                f"metric {rule.metric!r} calls itself {metric.info.name!r}",
                remedy="a metric's name is the one it is asked for: MetricRequest.name",
            )
        check_rule(rule, metric.info)
        made.append(metric)
    return made


def evaluate(
    passes: Sequence[Outputs],
    samples: Sequence[Sample],
    metrics: Sequence[Metric | Aggregate],
    *,
    manifest: RunManifest,
    verdicts: Verdicts | None = None,
) -> Run:
    """Score every output.

    Args:
        verdicts: Gives a judge's scores by criterion; None where no metric needs a judge.
        passes: Outputs by sample id, one mapping a pass; a later pass may hold only some samples.
    """
    records: list[Record] = []
    aggregates: list[dict[str, Score]] = []
    full: list[int] = []
    for run, outputs in enumerate(passes):
        pairs = [(sample, outputs[sample.id]) for sample in samples if sample.id in outputs]
        if not pairs:
            continue
        records.extend(_records(pairs, metrics, verdicts, run=run))
        if len(pairs) == len(samples):
            aggregates.append(_aggregates(pairs, metrics))
            full.append(run)
    infos = {metric.info.name: metric.info for metric in metrics}
    states = {
        metric.info.name: cast("Metric", metric).state
        for metric in metrics
        if not metric.info.aggregate and cast("Metric", metric).state
    }
    updated = manifest.model_copy(
        update={
            "metrics": infos,
            "states": states,
            "runs": max(1, len(full)),
            "identical": _identical(records, full),
        }
    )
    return Run(manifest=updated, records=tuple(records), aggregates=tuple(aggregates))


def _records(
    pairs: list[Pair],
    metrics: Sequence[Metric | Aggregate],
    verdicts: Verdicts | None,
    *,
    run: int,
) -> Iterable[Record]:
    scores: list[dict[str, Score]] = [{} for _ in pairs]
    for metric in metrics:
        if metric.info.aggregate:
            continue
        given = _judged(metric, pairs, verdicts) or _score(cast("Metric", metric), pairs)
        for found, score in zip(scores, given, strict=True):
            found[metric.info.name] = score
    for (sample, output), found in zip(pairs, scores, strict=True):
        yield Record(
            sample_id=sample.id,
            run=run,
            content_hash=content_hash(sample),
            retrieval_hash=retrieval_hash(output),
            output_hash=output_hash(output),
            output=output,
            scores=found,
        )


def _judged(
    metric: Metric | Aggregate, pairs: list[Pair], verdicts: Verdicts | None
) -> list[Score] | None:
    """Return the judge's scores under the metric's name, None where no judge is asked."""
    if verdicts is None or metric.info.needs is not Needs.JUDGE:
        return None
    criterion = cast("JudgeMetric", metric).criterion
    found = [verdicts(sample, output)[criterion] for sample, output in pairs]
    return [_checked(replace(score, metric=metric.info.name), metric.info) for score in found]


def _score(metric: Metric, pairs: list[Pair]) -> list[Score]:
    """Return the metric's scores, rounded as the baseline rounds them.

    A plugin that raises, or that returns a value out of its own range, has measured nothing.
    """
    name = metric.info.name
    try:
        scores = metric.score_samples(pairs)
    except Exception as error:  # noqa: BLE001 - a metric may be foreign code
        return [unscored(name, f"{type(error).__name__}: {error}"[:200])] * len(pairs)
    if len(scores) != len(pairs):
        return [unscored(name, f"{len(scores)} scores for {len(pairs)} samples")] * len(pairs)
    return [_checked(score, metric.info) for score in scores]


def _checked(score: Score, info: MetricInfo) -> Score:
    if score.value is None:
        return score
    high = float("inf") if info.high is None else info.high
    if not info.low - 1e-9 <= score.value <= high + 1e-9:
        return unscored(info.name, f"{score.value} is outside {info.low} to {high}")
    return Score(metric=info.name, value=round(score.value, DIGITS), reason=score.reason)


def _aggregates(pairs: list[Pair], metrics: Sequence[Metric | Aggregate]) -> dict[str, Score]:
    found: dict[str, Score] = {}
    for metric in metrics:
        if metric.info.aggregate:
            try:
                score = cast("Aggregate", metric).aggregate(pairs)
            except Exception as error:  # noqa: BLE001 - a metric may be foreign code
                score = unscored(metric.info.name, f"{type(error).__name__}: {error}"[:200])
            found[metric.info.name] = _checked(score, metric.info)
    return found


def _identical(records: Sequence[Record], runs: Sequence[int]) -> int:
    """Count the passes that equal an earlier one, byte for byte, on every sample."""
    hashes: dict[int, dict[str, str]] = {}
    for record in records:
        hashes.setdefault(record.run, {})[record.sample_id] = record.output_hash
    distinct: list[dict[str, str]] = []
    for run in runs:
        if hashes[run] not in distinct:
            distinct.append(hashes[run])
    return len(runs) - len(distinct)


def count_unscored(records: Iterable[Record]) -> int:
    """Count the scores that were wanted and not measured."""
    return sum(
        score.state is ScoreState.UNSCORED for record in records for score in record.scores.values()
    )


def failures(outputs: Iterable[SystemOutput]) -> int:
    """Count the outputs that are failures."""
    return sum(output.error is not None for output in outputs)
