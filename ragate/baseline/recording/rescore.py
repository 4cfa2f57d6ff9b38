"""Metrics of another version or with other settings read the baseline's stored answers again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import NamedTuple

from ragate.baseline.recording.rejudge import GONE, stored_answers
from ragate.config import Config
from ragate.core.judging.applicability import NO_ANSWER
from ragate.models import Needs, Reads, Record, Run, Sample, Score, unscored
from ragate.protocols import Aggregate, Metric
from ragate.scoring.metric_records import sample_scores
from ragate.scoring.policy_metrics import make_metrics, with_counts


class MeanChange(NamedTuple):
    """The mean of a metric before and after, over the outputs that have both scores."""

    before: float
    after: float
    outputs: int


@dataclass(frozen=True)
class Rescored:
    """What `rescore` did.

    Attributes:
        means: By metric.
        without_answer: Outputs that hold no answer; they are unscored.
        left: Metrics of another version that cannot be scored on what is stored.
    """

    means: Mapping[str, MeanChange]
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
    old, records = stored.run, list(stored.records)
    metrics = with_counts(make_metrics(config, stored.golden, states=old.manifest.states))
    aged = [metric for metric in metrics if _has_aged(metric, old)]
    if aged:
        stored.refuse_unreadable(config)
    fresh = {metric.info.name: _scores(metric, records, stored.samples) for metric in aged}
    left = tuple(name for name, scores in fresh.items() if _loses_a_value(name, records, scores))
    infos = {metric.info.name: metric.info for metric in aged if metric.info.name not in left}
    if not infos:
        return Rescored({}, left)

    updated = [
        record.amended(scores=record.scores | {name: fresh[name][row] for name in infos})
        for row, record in enumerate(records)
    ]
    manifest = old.manifest.amended(metrics=old.manifest.metrics | infos)
    new = Run(manifest=manifest, records=updated, aggregates=old.aggregates)
    stored.save(config, new)

    outputs = [record.output for record in records]
    without_answer = sum(output.answer is None and output.error is None for output in outputs)
    return Rescored({name: _mean_change(old, new, name) for name in infos}, left, without_answer)


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
    """Return a score for each record, unscored where its sample is no more in the golden set."""
    gone = unscored(metric.info.name, GONE)
    rows = [row for row, record in enumerate(records) if record.content_hash in samples]
    pairs = [(samples[records[row].content_hash], records[row].output) for row in rows]
    scores = dict(zip(rows, sample_scores(metric, pairs, []), strict=True))
    return [scores.get(row, gone) for row in range(len(records))]


def _loses_a_value(name: str, records: Sequence[Record], scores: Sequence[Score]) -> bool:
    """Tell whether a sample of today's golden set had a value, and has none."""
    return any(
        score.value is None
        and score.reason not in (GONE, NO_ANSWER)
        and _value(record, name) is not None
        for record, score in zip(records, scores, strict=True)
    )


def _mean_change(old: Run, new: Run, name: str) -> MeanChange:
    before, after = [], []
    for old_record, new_record in zip(old.records, new.records, strict=True):
        old_value, new_value = _value(old_record, name), _value(new_record, name)
        if old_value is not None and new_value is not None:
            before.append(old_value)
            after.append(new_value)
    if not before:
        return MeanChange(0.0, 0.0, outputs=0)
    return MeanChange(fmean(before), fmean(after), outputs=len(before))


def _value(record: Record, name: str) -> float | None:
    score = record.scores.get(name)
    return None if score is None else score.value
