"""Metrics of another version or with other settings read the baseline's stored answers again."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from ragate.baseline.recording.rejudge import GONE, stored_answers
from ragate.config import Config
from ragate.core.judging.applicability import NO_ANSWER
from ragate.models import Needs, Reads, Record, Run, Sample, Score, unscored
from ragate.protocols import Aggregate, Metric
from ragate.scoring.metric_records import sample_scores
from ragate.scoring.policy_metrics import make_metrics, with_counts


@dataclass(frozen=True)
class Rescored:
    """What `rescore` did.

    Attributes:
        means: Of each metric the mean before and after, over the outputs that have both scores,
            and how many these are.
        without_answer: Outputs that hold no answer; they are unscored.
        left: Metrics of another version that cannot be scored on what is stored.
    """

    means: Mapping[str, tuple[float, float, int]]
    left: tuple[str, ...] = ()
    without_answer: int = 0


def rescore(config: Config) -> Rescored:
    """Score the stored outputs with today's keyless metrics of answers, and write the baseline.

    A metric that loses a score which it had, as one that reads contexts does where the baseline
    holds none, stays as it is. Tables, such as the word counts of idf_f1, are kept.

    Raises:
        NoBaselineError, BaselineError: there is none, or nothing of it can be scored.
    """
    stored = stored_answers(config)
    old, samples, records = stored.run, stored.samples, list(stored.records)
    metrics = with_counts(make_metrics(config, stored.golden, states=old.manifest.states))
    aged = [metric for metric in metrics if _has_aged(metric, old)]
    if aged:
        stored.refuse_unreadable(config)
    fresh = {metric.info.name: _scores(metric, records, samples) for metric in aged}
    left = tuple(name for name, scores in fresh.items() if _lost(name, records, scores))
    chosen = [metric.info for metric in aged if metric.info.name not in left]
    if not chosen:
        return Rescored({}, left)
    names = [info.name for info in chosen]
    updated = [
        record.amended(scores=record.scores | {name: fresh[name][row] for name in names})
        for row, record in enumerate(records)
    ]
    infos = old.manifest.metrics | {info.name: info for info in chosen}
    manifest = old.manifest.amended(metrics=infos)
    new = Run(manifest=manifest, records=updated, aggregates=old.aggregates)
    stored.save(config, new)
    outputs = [record.output for record in records]
    without = sum(output.answer is None and output.error is None for output in outputs)
    return Rescored({name: _means(old, new, name) for name in names}, left, without)


def _has_aged(metric: Metric | Aggregate, old: Run) -> bool:
    """Tell whether a metric of answers needs no model and is in the baseline in another form."""
    now = metric.info
    before = old.manifest.metrics.get(now.name)
    return (
        before is not None
        and (before.version, before.fingerprint) != (now.version, now.fingerprint)
        and now.needs is Needs.NOTHING
        and now.reads is Reads.ANSWER
        and not now.aggregate
    )


def _scores(
    metric: Metric | Aggregate, records: Sequence[Record], samples: Mapping[str, Sample]
) -> list[Score]:
    found = [samples.get(record.content_hash) for record in records]
    pairs = [(s, r.output) for s, r in zip(found, records, strict=True) if s is not None]
    scored: Iterator[Score] = iter(sample_scores(metric, pairs, []))
    gone = unscored(metric.info.name, GONE)
    return [gone if sample is None else next(scored) for sample in found]


def _lost(name: str, records: Sequence[Record], scores: Sequence[Score]) -> bool:
    """Tell whether a sample of today's golden set had a value, and has none."""
    return any(
        score.value is None
        and score.reason not in (GONE, NO_ANSWER)
        and (before := record.scores.get(name)) is not None
        and before.value is not None
        for record, score in zip(records, scores, strict=True)
    )


def _means(old: Run, new: Run, name: str) -> tuple[float, float, int]:
    sides = ([_value(record, name) for record in run.records] for run in (old, new))
    both = [(a, b) for a, b in zip(*sides, strict=True) if a is not None and b is not None]
    if not both:
        return 0.0, 0.0, 0
    return fmean(a for a, _ in both), fmean(b for _, b in both), len(both)


def _value(record: Record, name: str) -> float | None:
    score = record.scores.get(name)
    return None if score is None else score.value
