"""From outputs to records: every metric on every sample of every pass."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import cast, overload

from ragate import plugins
from ragate.config import Config, check_rule
from ragate.core.hashing import content_hash, output_hash, retrieval_hash, text_hashes
from ragate.core.rules.checked_metric import checked_name
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
from ragate.models.base import lean
from ragate.models.score import shared_scores
from ragate.protocols import Aggregate, JudgedAggregate, JudgeMetric, Metric, Pair
from ragate.runtime.output_spool import slim
from ragate.support.spill import Spill

DIGITS = 6
BATCH = 200
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
    passes: Sequence[Mapping[str, SystemOutput]],
    samples: Sequence[Sample],
    metrics: Sequence[Metric | Aggregate],
    *,
    manifest: RunManifest,
    verdicts: Verdicts | None = None,
) -> Run:
    """Score every output; the records hold document ids in place of the retrieved texts.

    Args:
        verdicts: Gives a judge's scores by criterion; None where no metric needs a judge.
        passes: Outputs by sample id, one mapping a pass; a later pass may hold only some samples.
    """
    metrics = _with_checked(metrics)
    records = Spill(Record)
    aggregates: list[dict[str, Score]] = []
    full: list[int] = []
    for run, outputs in enumerate(passes):
        whole = all(sample.id in outputs for sample in samples)
        asked = samples if whole else [one for one in samples if one.id in outputs]
        pairs = Pairs(asked, outputs)
        for batch in pairs.batches():
            records.extend(_records(batch, metrics, verdicts, run=run))
        if pairs and whole:
            aggregates.append(_aggregates(pairs, metrics, verdicts))
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
    return Run(manifest=updated, records=records, aggregates=tuple(aggregates))


def _with_checked(metrics: Sequence[Metric | Aggregate]) -> list[Metric | Aggregate]:
    """Return the metrics, each with the count of what it had to check, where it has one."""
    every: list[Metric | Aggregate] = []
    for metric in metrics:
        every.append(metric)
        checked: Metric | None = getattr(metric, "checked", None)
        if not isinstance(getattr(checked, "info", None), MetricInfo):
            continue  # a foreign metric may have an attribute of that name
        assert checked is not None
        if checked.info.name != checked_name(metric.info.name):
            raise PluginError(
                f"metric {metric.info.name!r} counts what it checks as {checked.info.name!r}",
                remedy=f"name it {checked_name(metric.info.name)!r}",
            )
        every.append(checked)
    return every


class Pairs(Sequence[Pair]):
    """Samples with their outputs, each read when it is looked at."""

    def __init__(self, samples: Sequence[Sample], outputs: Mapping[str, SystemOutput]) -> None:
        self._samples = samples
        self._outputs = outputs

    def __len__(self) -> int:
        return len(self._samples)

    @overload
    def __getitem__(self, place: int) -> Pair: ...
    @overload
    def __getitem__(self, place: slice) -> list[Pair]: ...
    def __getitem__(self, place: int | slice) -> Pair | list[Pair]:
        if isinstance(place, slice):
            return [(sample, self._outputs[sample.id]) for sample in self._samples[place]]
        sample = self._samples[place]
        return sample, self._outputs[sample.id]

    def batches(self) -> Iterator[list[Pair]]:
        """Yield all pairs, a few at a time."""
        for start in range(0, len(self), BATCH):
            yield self[start : start + BATCH]


def _records(
    pairs: list[Pair],
    metrics: Sequence[Metric | Aggregate],
    verdicts: Verdicts | None,
    *,
    run: int,
) -> Iterable[Record]:
    judged = [verdicts(*pair) for pair in pairs] if verdicts is not None else []
    scores: list[dict[str, Score]] = [{} for _ in pairs]
    for metric in metrics:
        if metric.info.aggregate:
            continue
        given = _judged(metric, judged) or _score(cast("Metric", metric), pairs)
        for found, score in zip(scores, given, strict=True):
            found[metric.info.name] = score
    for (sample, output), found in zip(pairs, scores, strict=True):
        retrieval = retrieval_hash(output)
        # Every part is checked by now, and validation would copy the shared scores.
        record = Record.model_construct(
            sample_id=sample.id,
            run=run,
            content_hash=content_hash(sample),
            retrieval_hash=retrieval,
            output_hash=output_hash(output, retrieval),
            output=slim(output),
            scores=shared_scores(found),
            text_hashes=text_hashes(output),
        )
        yield lean(record)


def _judged(
    metric: Metric | Aggregate, judged: Sequence[Mapping[str, Score]]
) -> list[Score] | None:
    """Return the judge's scores under the metric's name, None where no judge is asked."""
    if not judged or metric.info.needs is not Needs.JUDGE:
        return None
    found = [scores[cast("JudgeMetric", metric).criterion] for scores in judged]
    return [_checked(_named(score, metric.info.name), metric.info) for score in found]


def _named(score: Score, name: str) -> Score:
    return score if score.metric == name else replace(score, metric=name)


def _score(metric: Metric, pairs: list[Pair]) -> list[Score]:
    """Return the metric's scores, rounded as the baseline rounds them.

    A plugin that raises, or that returns a value out of its own range, has measured nothing.
    """
    name = metric.info.name
    try:
        scores = list(metric.score_samples(pairs))
    except Exception as error:  # noqa: BLE001 - a metric may be foreign code
        return [unscored(name, f"{type(error).__name__}: {error}"[:200])] * len(pairs)
    if len(scores) != len(pairs):
        return [unscored(name, f"{len(scores)} scores for {len(pairs)} samples")] * len(pairs)
    return [_checked(score, metric.info) for score in scores]


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


def _aggregates(
    pairs: Sequence[Pair], metrics: Sequence[Metric | Aggregate], verdicts: Verdicts | None
) -> dict[str, Score]:
    found: dict[str, Score] = {}
    for metric in metrics:
        if metric.info.aggregate:
            try:
                score = _combined(metric, pairs, verdicts) or cast("Aggregate", metric).aggregate(
                    pairs
                )
            except Exception as error:  # noqa: BLE001 - a metric may be foreign code
                score = unscored(metric.info.name, f"{type(error).__name__}: {error}"[:200])
            found[metric.info.name] = _checked(score, metric.info)
    return found


def _combined(
    metric: Metric | Aggregate, pairs: Sequence[Pair], verdicts: Verdicts | None
) -> Score | None:
    """Return what a judge's scores come to, None where no judge is asked."""
    if verdicts is None or metric.info.needs is not Needs.JUDGE:
        return None
    made = cast("JudgedAggregate", metric)
    return made.combine([verdicts(sample, output)[made.criterion] for sample, output in pairs])


def _identical(records: Sequence[Record], runs: Sequence[int]) -> int:
    """Count the passes that equal an earlier one, byte for byte, on every sample."""
    # Passes over all samples have them in one order.
    hashes = {run: hashlib.sha256() for run in runs}
    for record in records:
        if record.run in hashes:
            hashes[record.run].update(f"{record.output_hash}\n".encode())
    return len(runs) - len({one.digest() for one in hashes.values()})


def count_unscored(records: Iterable[Record]) -> int:
    """Count the scores that were wanted and not measured."""
    return sum(
        score.state is ScoreState.UNSCORED for record in records for score in record.scores.values()
    )


def failures(outputs: Iterable[SystemOutput]) -> int:
    """Count the outputs that are failures."""
    return sum(output.error is not None for output in outputs)
