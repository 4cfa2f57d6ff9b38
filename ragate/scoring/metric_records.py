"""From outputs to scores and records: every metric on every sample of every pass."""

import hashlib
import traceback
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar, cast

from ragate.answers.output_spool import slim
from ragate.core.hashing import content_hash, output_hash, retrieval_hash, text_hashes
from ragate.core.lookup import LazyRows
from ragate.models import (
    MetricInfo,
    Needs,
    Record,
    Run,
    RunManifest,
    Sample,
    Score,
    SystemOutput,
    unscored,
)
from ragate.models.base import lean
from ragate.models.score import plain_details, shared_scores
from ragate.protocols import (
    Aggregate,
    AskingMetric,
    EmbeddingMetric,
    Judged,
    JudgedAggregate,
    JudgeMetric,
    Metric,
    Pair,
    Vector,
)
from ragate.scoring.policy_metrics import with_counts

M = TypeVar("M", "AskedMetric", Judged)
BATCH = 200
DIGITS = 6
_OWN_CODE = Path(__file__).parents[1]
Judgements = Callable[[Sample, SystemOutput], Mapping[str, Score]]


# One metric's scores: its own or a judge's, rounded, and none that is out of its range.


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
    if score.details is not None:
        score = replace(score, details=plain_details(score.details))
    if score.value is None:
        return score
    high = float("inf") if info.high is None else info.high
    if not info.low - 1e-9 <= score.value <= high + 1e-9:
        return unscored(info.name, f"{score.value} is outside {info.low} to {high}")
    value = round(float(score.value), DIGITS)
    if (value, info.name) == (score.value, score.metric) and type(score.value) is float:
        return score
    return replace(score, metric=info.name, value=value)


@dataclass(frozen=True)
class AskedMetric:
    """Implements `ragate.protocols.Metric` by what was asked before.

    `scores` are by sample and output, as `key_of` names them.
    """

    asking: AskingMetric | EmbeddingMetric
    scores: dict[str, Score] = field(default_factory=dict)

    @property
    def info(self) -> MetricInfo:
        return self.asking.info

    @property
    def state(self) -> dict[str, float]:
        return self.asking.state

    def score_samples(self, pairs: Sequence[Pair]) -> list[Score]:
        missing = unscored(self.info.name, "was not asked")
        return [self.scores.get(key_of(*pair), missing) for pair in pairs]


def key_of(sample: Sample, output: SystemOutput) -> str:
    """Return the identity of a score: equal outputs of equal samples share one."""
    return f"{content_hash(sample)} {output_hash(output)}"


def key_of_record(record: Record) -> str:
    """Return what `key_of` does for the sample and output of a record."""
    return f"{record.content_hash} {record.output_hash}"


def same_metrics(metrics: Sequence[M], baseline: Run) -> list[M]:
    """Return those that the baseline was scored with, in the same version and settings."""
    infos = baseline.manifest.metrics
    return [
        metric
        for metric in metrics
        if metric.info.name in infos
        and infos[metric.info.name].fingerprint == metric.info.fingerprint
    ]


@dataclass(frozen=True)
class OpenQuestion:
    """One score that is not there yet."""

    metric: AskedMetric
    key: str
    sample: Sample
    output: SystemOutput

    @property
    def of_vectors(self) -> bool:
        return isinstance(self.metric.asking, EmbeddingMetric)

    def settle(self, score: Score) -> None:
        self.metric.scores[self.key] = score

    def score(self, vectors: Mapping[str, Vector]) -> Score:
        """Return the score by vectors, of a metric that reads them."""
        try:
            asking = cast("EmbeddingMetric", self.metric.asking)
            return asking.score(self.sample, self.output, vectors)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a metric may be foreign code
            return raised(self.metric.info, error)


def evaluate(
    passes: Sequence[Mapping[str, SystemOutput]],
    samples: Sequence[Sample],
    metrics: Sequence[Metric | Aggregate],
    *,
    manifest: RunManifest,
    judgements: Judgements | None = None,
) -> Run:
    """Score every output; the records hold document ids in place of the retrieved texts.

    Args:
        judgements: Gives a judge's scores by criterion; None where no metric needs a judge.
        passes: Outputs by sample id, one mapping a pass; a later pass may hold only some samples.
    """
    metrics = with_counts(metrics)
    records: list[Record] = []
    aggregates: list[dict[str, Score]] = []
    full: list[bytes] = []  # the outputs of each complete pass, hashed
    for run, outputs in enumerate(passes):
        complete = all(sample.id in outputs for sample in samples)
        answered = samples if complete else [s for s in samples if s.id in outputs]
        pairs = Pairs(answered, outputs)
        seen = hashlib.sha256()  # passes over all samples have them in one order
        for batch in pairs.batches():
            for record in _records(batch, metrics, judgements, run=run):
                records.append(record)
                seen.update(f"{record.output_hash}\n".encode())
        if pairs and complete:
            over_all = [metric for metric in metrics if metric.info.aggregate]
            aggregates.append(
                {each.info.name: aggregate_score(each, pairs, judgements) for each in over_all}
            )
            full.append(seen.digest())
    infos = {metric.info.name: metric.info for metric in metrics}
    single = [cast("Metric", metric) for metric in metrics if not metric.info.aggregate]
    states = {metric.info.name: metric.state for metric in single if metric.state}
    identical = len(full) - len(set(full))  # passes that equal an earlier one, byte for byte
    updated = manifest.amended(
        metrics=infos, states=states, runs=max(1, len(full)), identical=identical
    )
    return Run(manifest=updated, records=records, aggregates=tuple(aggregates))


class Pairs(LazyRows[Pair]):
    """Samples with their outputs, each read when it is looked at."""

    def __init__(self, samples: Sequence[Sample], outputs: Mapping[str, SystemOutput]) -> None:
        self._samples = samples
        self._outputs = outputs

    def __len__(self) -> int:
        return len(self._samples)

    def row(self, number: int) -> Pair:
        sample = self._samples[number]
        return sample, self._outputs[sample.id]

    def batches(self) -> Iterator[list[Pair]]:
        """Yield all pairs, a few at a time."""
        for start in range(0, len(self), BATCH):
            yield self[start : start + BATCH]


def _records(
    pairs: list[Pair],
    metrics: Sequence[Metric | Aggregate],
    judgements: Judgements | None,
    *,
    run: int,
) -> Iterable[Record]:
    judged = [judgements(*pair) for pair in pairs] if judgements is not None else []
    rows: list[dict[str, Score]] = [{} for _ in pairs]
    for metric in metrics:
        if metric.info.aggregate:
            continue
        for row, score in zip(rows, sample_scores(metric, pairs, judged), strict=True):
            row[metric.info.name] = score
    for (sample, output), row in zip(pairs, rows, strict=True):
        retrieval = retrieval_hash(output)
        # Every part is checked by now, and validation would copy the shared scores.
        record = Record.model_construct(
            sample_id=sample.id,
            run=run,
            content_hash=content_hash(sample),
            retrieval_hash=retrieval,
            output_hash=output_hash(output, retrieval),
            output=slim(output),
            scores=shared_scores(row),
            text_hashes=text_hashes(output),
        )
        yield lean(record)
