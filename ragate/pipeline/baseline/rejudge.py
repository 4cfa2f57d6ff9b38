"""A new judge reads the baseline's stored answers again, so that nothing has to be run anew."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ragate import plugins
from ragate.baseline import (
    dump_baseline,
    load_baseline,
    load_contexts,
    recorded_before,
    save_baseline,
)
from ragate.config import Config
from ragate.core.hashing import content_hash
from ragate.core.lookup import Lookup
from ragate.dataset import read_dataset
from ragate.errors import BaselineError, ConfigError, ProviderError
from ragate.models import (
    Needs,
    Record,
    RetrievedChunk,
    Run,
    Sample,
    Score,
    ScoreState,
    unscored,
)
from ragate.pipeline.baseline.old_judge_agreement import Agreement, agreement_on
from ragate.pipeline.run.relative_dates import judged_on
from ragate.pipeline.score.judge_call_cache import cached_steps
from ragate.pipeline.score.judgement_cache import cached_judgements
from ragate.pipeline.score.judging import Judging
from ragate.pipeline.score.metric_records import make_metrics
from ragate.protocols import Judge, JudgeMetric
from ragate.runtime.resources import Operations, open_resources
from ragate.runtime.time_limit import within
from ragate.support.spill import Spill

_GONE = "the sample is no longer in the golden set"


@dataclass(frozen=True)
class Rejudgement:
    """What `rejudge` did.

    Attributes:
        judged: Distinct outputs with a fresh verdict. without_contexts: Metrics that need the
            contexts, which the baseline does not hold.
    """

    same_judge: bool
    judged: int = 0
    rows: tuple[Agreement, ...] = ()
    without_contexts: tuple[str, ...] = ()


async def rejudge(config: Config, operations: Operations) -> Rejudgement:
    """Judge the stored outputs with the policy's judge and write the baseline.

    Metrics that read contexts need ``store = "full"``; without it they leave the baseline, and a
    new recording has to bring them back. The others are judged without the contexts then; no
    verdict in the cache is mistaken for one with them, since texts belong to its key.

    Raises:
        NoBaselineError, BaselineError: there is none, or nothing of it can be judged.
        ConfigError: no metric of the policy needs a judge.
        ProviderError: the judge gave no verdict on something; the baseline is as it was.
    """
    old = load_baseline(config.baseline)
    golden = read_dataset(config.dataset)
    samples = Lookup(golden, {content_hash(sample): row for row, sample in enumerate(golden)})
    metrics = _judged_metrics(config, golden)
    contexts = load_contexts(config.baseline)
    records = Spill(Record, (_with_texts(record, contexts) for record in old.records), kept=0)
    _refuse_without_answers(config, records)
    _refuse_without_samples(config, records, samples)
    async with open_resources(config, operations) as opened:
        settings = config.policy.judge
        if settings is None:
            raise ConfigError("there is no [policy.judge]", remedy="docs/judge.md shows one")
        module = plugins.load("judges", settings.use)
        steps = cached_steps(config, opened)
        async with module.create(settings.own, replace(opened.judge, steps=steps)) as judge:
            if judge.fingerprint == old.manifest.judge:
                return Rejudgement(same_judge=True)
            chosen, left = _sort_out(config, judge, metrics, records)
            judging = Judging(
                judged_on(judge, old.manifest.eval_date, golden),
                chosen,
                baseline=None,
                cache=cached_judgements(config, opened),
                concurrency=settings.concurrency,
                timeout_s=settings.timeout_s,
                steps=steps,
            )
            kept = "finished verdicts are kept, and the baseline is as it was: start it again"
            async with within(config.policy.max_minutes, remedy=kept):
                new = await _judge_all(judging, records, samples, chosen, old)
    _refuse_unscored(judging, old, new, chosen)
    recorded = recorded_before(old)
    store = config.policy.store
    if store == "full" and not contexts:  # there are none to write beside it
        store = "answers"
    save_baseline(config.baseline, dump_baseline(new, store=store, recorded=recorded), new, store)
    rows = tuple(agreement_on(config, one.info, old, new) for one in chosen)
    return Rejudgement(False, judging.fresh, rows, left)


def _sort_out(
    config: Config, judge: Judge, metrics: Sequence[JudgeMetric], records: Sequence[Record]
) -> tuple[list[JudgeMetric], tuple[str, ...]]:
    """Return the metrics that can be judged, and the names of those that lack the contexts."""
    grounded = getattr(judge, "grounded", judge.criteria)
    left = tuple(
        one.info.name
        for one in metrics
        if one.criterion in grounded and not _has_texts(records, one.info.name)
    )
    chosen = [one for one in metrics if one.info.name not in left]
    if not chosen:
        raise _without_contexts(config, left)
    return chosen, left


def _judged_metrics(config: Config, samples: Sequence[Sample]) -> list[JudgeMetric]:
    made = make_metrics(config, samples, states={})
    # A value over the whole run is not made of verdicts on single answers.
    found = [one for one in made if one.info.needs is Needs.JUDGE and not one.info.aggregate]
    if not found:
        raise ConfigError("no metric of the policy needs a judge", remedy="there is nothing to do")
    return [one for one in found if isinstance(getattr(one, "criterion", None), str)]  # type: ignore[misc]


def _with_texts(record: Record, contexts: Mapping[str, tuple[RetrievedChunk, ...]]) -> Record:
    chunks = contexts.get(record.retrieval_hash)
    if chunks is None:
        return record
    return record.model_copy(update={"output": record.output.model_copy(update={"chunks": chunks})})


def _has_texts(records: Sequence[Record], metric: str) -> bool:
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


def _without_contexts(config: Config, names: Sequence[str]) -> BaselineError:
    return BaselineError(
        f"{config.policy.baseline} holds no contexts, and {', '.join(names)} "
        f"{'reads' if len(names) == 1 else 'read'} them, so nothing can be judged again",
        remedy='set [policy] store = "full" and run `ragate baseline update`; '
        "the baseline is as it was",
    )


def _refuse_without_answers(config: Config, records: Sequence[Record]) -> None:
    if any(one.output.answer is None and one.output.error is None for one in records):
        raise BaselineError(
            f"{config.policy.baseline} holds hashes and no answers, so nothing can be judged again",
            remedy='set [policy] store = "answers" or "full", and record it with '
            "`ragate baseline update`",
        )


def _refuse_without_samples(
    config: Config, records: Sequence[Record], samples: Mapping[str, Sample]
) -> None:
    if not any(record.content_hash in samples for record in records):
        raise BaselineError(
            f"{config.policy.baseline} holds no sample as it stands in the golden set, "
            "so nothing can be judged again",
            remedy="record it anew with `ragate baseline update`; the baseline is as it was",
        )


async def _judge_all(
    judging: Judging,
    records: Sequence[Record],
    samples: Mapping[str, Sample],
    metrics: Sequence[JudgeMetric],
    old: Run,
) -> Run:
    try:
        for record in records:
            if record.content_hash in samples:
                judging.submit(samples[record.content_hash], record.output)
                await judging.room()
        await judging.settle()
    finally:
        await judging.close()
    manifest = old.manifest
    judged = {
        name
        for name, info in manifest.metrics.items()
        if info.needs is Needs.JUDGE and not info.aggregate
    }
    updated = (_rescored(judging, one, samples, metrics, judged) for one in records)
    kept = {name: info for name, info in manifest.metrics.items() if name not in judged}
    infos = kept | {metric.info.name: metric.info for metric in metrics}
    fresh = manifest.model_copy(update={"judge": judging.fingerprint, "metrics": infos})
    return Run(manifest=fresh, records=Spill(Record, updated, kept=0), aggregates=old.aggregates)


def _rescored(
    judging: Judging,
    record: Record,
    samples: Mapping[str, Sample],
    metrics: Sequence[JudgeMetric],
    judged: set[str],
) -> Record:
    scores = {name: score for name, score in record.scores.items() if name not in judged}
    sample = samples.get(record.content_hash)
    for metric in metrics:
        name = metric.info.name
        if sample is None:
            scores[name] = unscored(name, _GONE)
        else:
            found = judging.verdict(sample, record.output)[metric.criterion]
            scores[name] = _named(found, name)
    return record.model_copy(update={"scores": scores})


def _named(score: Score, name: str) -> Score:
    return Score(metric=name, value=score.value, state=score.state, reason=score.reason)


def _refuse_unscored(judging: Judging, old: Run, new: Run, metrics: Sequence[JudgeMetric]) -> None:
    """A rejudged baseline must be whole: what was scored by the old judge is by the new one.

    What no judge could score (a metric that does not fit the answer, an answer too long) stays so.
    """
    stopped = bool(judging.out) or not all(one.passed for one in judging.canaries)
    for before, after in zip(old.records, new.records, strict=True):
        for metric in metrics:
            name = metric.info.name
            score = after.scores[name]
            if _is_lost(before.scores.get(name), score, stopped=stopped):
                raise ProviderError(
                    f"{after.sample_id}: {name} got no verdict: {score.reason}",
                    remedy="try again: finished verdicts are kept; the baseline is as it was",
                )


def _is_lost(before: Score | None, after: Score, *, stopped: bool) -> bool:
    if after.state is not ScoreState.UNSCORED or after.reason == _GONE:
        return False
    if before is not None and before.value is not None:
        return True
    # Nothing is lost, but a judge that failed is no rule: it may do better the next time.
    return after.reason.startswith("judge:") and (before is None or stopped)
