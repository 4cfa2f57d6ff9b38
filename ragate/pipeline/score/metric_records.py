"""From outputs to records: every metric on every sample of every pass."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import cast, overload

from ragate.core.hashing import content_hash, output_hash, retrieval_hash, text_hashes
from ragate.models import Record, Run, RunManifest, Sample, Score, ScoreState, SystemOutput
from ragate.models.base import lean
from ragate.models.score import shared_scores
from ragate.pipeline.score.asked.metric_scores import Judgements, aggregate_score, sample_scores
from ragate.pipeline.score.policy_metrics import with_counts
from ragate.protocols import Aggregate, Metric, Pair
from ragate.runtime.output_spool import slim
from ragate.support.spill import Spill

BATCH = 200


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
    records = Spill(Record)
    aggregates: list[dict[str, Score]] = []
    full: list[int] = []
    for run, outputs in enumerate(passes):
        complete = all(sample.id in outputs for sample in samples)
        answered = samples if complete else Spill(Sample, (s for s in samples if s.id in outputs))
        pairs = Pairs(answered, outputs)
        for batch in pairs.batches():
            records.extend(_records(batch, metrics, judgements, run=run))
        if pairs and complete:
            aggregates.append(
                {
                    metric.info.name: aggregate_score(metric, pairs, judgements)
                    for metric in metrics
                    if metric.info.aggregate
                }
            )
            full.append(run)
    infos = {metric.info.name: metric.info for metric in metrics}
    states = {
        metric.info.name: cast("Metric", metric).state
        for metric in metrics
        if not metric.info.aggregate and cast("Metric", metric).state
    }
    updated = manifest.amended(
        metrics=infos, states=states, runs=max(1, len(full)), identical=_identical(records, full)
    )
    return Run(manifest=updated, records=records, aggregates=tuple(aggregates))


class Pairs(Sequence[Pair]):
    """Samples with their outputs, each read when it is looked at."""

    def __init__(self, samples: Sequence[Sample], outputs: Mapping[str, SystemOutput]) -> None:
        self._samples = samples
        self._outputs = outputs

    def __len__(self) -> int:
        return len(self._samples)

    @overload
    def __getitem__(self, row: int) -> Pair: ...
    @overload
    def __getitem__(self, row: slice) -> list[Pair]: ...
    def __getitem__(self, row: int | slice) -> Pair | list[Pair]:
        if isinstance(row, slice):
            return [(sample, self._outputs[sample.id]) for sample in self._samples[row]]
        sample = self._samples[row]
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


def _identical(records: Sequence[Record], runs: Sequence[int]) -> int:
    """Count the passes that equal an earlier one, byte for byte, on every sample."""
    # Passes over all samples have them in one order.
    hashes = {run: hashlib.sha256() for run in runs}
    for record in records:
        if record.run in hashes:
            hashes[record.run].update(f"{record.output_hash}\n".encode())
    return len(runs) - len({digest.digest() for digest in hashes.values()})


def count_unscored(records: Iterable[Record]) -> int:
    """Count the scores that were wanted and not measured."""
    return sum(
        score.state is ScoreState.UNSCORED for record in records for score in record.scores.values()
    )


def failures(outputs: Iterable[SystemOutput]) -> int:
    """Count the outputs that are failures."""
    return sum(output.error is not None for output in outputs)
