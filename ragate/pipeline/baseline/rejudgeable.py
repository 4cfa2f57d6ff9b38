"""Whether a baseline can be judged again, and whether a new judge lost nothing of it."""

from collections.abc import Mapping, Sequence

from ragate.config import Config
from ragate.errors import BaselineError, ProviderError
from ragate.models import Record, RetrievedChunk, Run, Sample, Score, ScoreState
from ragate.pipeline.score.judging import Judging
from ragate.pipeline.score.spared_stages import SparedStages
from ragate.protocols import Judged

GONE = "the sample is no longer in the golden set"


def has_texts(records: Sequence[Record], metric: str) -> bool:
    """Return False where a judge would have to read contexts that are not there.

    An output that the old judge could not score either changes nothing.
    """
    for record in records:
        before = record.scores.get(metric)
        matters = before is None or before.value is not None
        chunks = record.output.chunks
        if matters and chunks and not any(chunk.text.strip() for chunk in chunks):
            return False
    return True


def with_texts(record: Record, contexts: Mapping[str, tuple[RetrievedChunk, ...]]) -> Record:
    """Return a record with the texts of its chunks, where the baseline keeps them."""
    chunks = contexts.get(record.retrieval_hash)
    if chunks is None:
        return record
    return record.amended(output=record.output.amended(chunks=chunks))


def without_contexts(config: Config, names: Sequence[str]) -> BaselineError:
    """Return that these metrics, which are all, would read what is not there."""
    return BaselineError(
        f"{config.policy.baseline} holds no contexts, and {', '.join(names)} "
        f"{'reads' if len(names) == 1 else 'read'} them, so nothing can be judged again",
        remedy='set [policy] store = "full" and run `ragate baseline update`; '
        "the baseline is as it was",
    )


def refuse_without_answers(config: Config, records: Sequence[Record]) -> None:
    """Raise where the baseline keeps no answer at all."""
    outputs = [record.output for record in records]
    hashed = any(output.answer is None and output.error is None for output in outputs)
    if hashed and all(output.answer is None for output in outputs):
        raise BaselineError(
            f"{config.policy.baseline} holds hashes and no answers, so nothing can be judged again",
            remedy='set [policy] store = "answers" or "full", and record it with '
            "`ragate baseline update`",
        )


def refuse_without_samples(
    config: Config, records: Sequence[Record], samples: Mapping[str, Sample]
) -> None:
    """Raise where no record is of a sample as it stands today."""
    if not any(record.content_hash in samples for record in records):
        raise BaselineError(
            f"{config.policy.baseline} holds no sample as it stands in the golden set, "
            "so nothing can be judged again",
            remedy="record it anew with `ragate baseline update`; the baseline is as it was",
        )


def refuse_unscored(
    judging: Judging,
    old: Run,
    new: Run,
    metrics: Sequence[Judged],
    *,
    samples: Mapping[str, Sample],
    spared: SparedStages | None,
) -> None:
    """A rejudged baseline must be whole: what was scored by the old judge is by the new one.

    What no judge could score (a metric that does not fit the answer, an answer too long) stays so,
    and what a failed stage before it spares is not missing: it counts at its worst.
    """
    stopped = bool(judging.out or judging.voided)
    for before, after in zip(old.records, new.records, strict=True):
        sample = samples.get(after.content_hash)
        closed: frozenset[str] = frozenset()
        if spared is not None and sample is not None:
            said = judging.judgement(sample, after.output)
            closed = spared.metrics(sample, after.output, said)
        for metric in metrics:
            name = metric.info.name
            score = after.scores[name]
            if name not in closed and _is_lost(before.scores.get(name), score, stopped=stopped):
                raise ProviderError(
                    f"{after.sample_id}: {name} got no verdict: {score.reason}",
                    remedy="try again: finished verdicts are kept; the baseline is as it was",
                )


def _is_lost(before: Score | None, after: Score, *, stopped: bool) -> bool:
    if after.state is not ScoreState.UNSCORED or after.reason == GONE:
        return False
    if before is not None and before.value is not None:
        return True
    # Nothing is lost, but a judge that failed is no rule: it may do better the next time.
    return after.reason.startswith("judge:") and (before is None or stopped)
