"""A new judge reads the baseline's stored answers again, so that nothing has to be run anew."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import cast

from ragate.answers.sample_time import within
from ragate.baseline import load_baseline, load_contexts, with_texts
from ragate.baseline.write import save_again
from ragate.config import Config
from ragate.core.hashing import content_hash
from ragate.core.judging.kappa import kappa
from ragate.core.lookup import LazyItems, Lookup
from ragate.dataset import read_dataset
from ragate.errors import BaselineError, ProviderError
from ragate.models import (
    MetricInfo,
    Needs,
    Record,
    Run,
    Sample,
    Score,
    ScoreState,
    unscored,
)
from ragate.protocols import Aggregate, AskingMetric, Judge, Judged, Metric, judge_abilities
from ragate.resources.operations import Operations
from ragate.resources.resources import open_resources
from ragate.scoring.judging import Judging
from ragate.scoring.known_judgements import is_same_judge
from ragate.scoring.metric_records import AskedMetric, key_of
from ragate.scoring.open_judge import open_judge
from ragate.scoring.policy_metrics import judged_metrics, make_metrics
from ragate.scoring.spared_stages import SparedStages, spared_stages


@dataclass(frozen=True)
class StoredAnswers:
    """A recording whose answers are read again, beside the golden set as it stands today.

    Attributes:
        records: With the texts of their chunks, where the baseline keeps them.
        golden: All samples. samples: The same by the hash of their content.
        has_contexts: Whether any texts of chunks are kept.
    """

    run: Run
    records: Sequence[Record]
    golden: Sequence[Sample]
    samples: Mapping[str, Sample]
    has_contexts: bool

    def refuse_unreadable(self, config: Config) -> None:
        """Raise where no record holds an answer, or none is of a sample as it stands today."""
        outputs = [record.output for record in self.records]
        hashed = any(output.answer is None and output.error is None for output in outputs)
        if hashed and all(output.answer is None for output in outputs):
            raise BaselineError(
                f"{config.policy.baseline} holds hashes and no answers, so nothing can be judged "
                "again",
                remedy='set [policy] store = "answers" or "full", and record it with '
                "`ragate baseline update`",
            )
        if not any(record.content_hash in self.samples for record in self.records):
            raise BaselineError(
                f"{config.policy.baseline} holds no sample as it stands in the golden set, "
                "so nothing can be judged again",
                remedy="record it anew with `ragate baseline update`; the baseline is as it was",
            )

    def save(self, config: Config, new: Run) -> None:
        """Write other scores of the same answers in the baseline's place."""
        store, contexts = config.policy.store, self.has_contexts
        save_again(config.baseline, self.run, new, store=store, contexts=contexts)


def stored_answers(config: Config) -> StoredAnswers:
    """Return what the baseline holds.

    Raises:
        NoBaselineError, BaselineError: there is none that can be read.
    """
    run = load_baseline(config.baseline)
    golden = read_dataset(config.dataset)
    samples = Lookup(golden, {content_hash(sample): row for row, sample in enumerate(golden)})
    contexts = load_contexts(config.baseline)
    records = LazyItems(run.records, lambda record: with_texts(record, contexts))
    return StoredAnswers(run, records, golden, samples, bool(contexts))


@dataclass(frozen=True)
class Rejudgement:
    """What `rejudge` did.

    Attributes:
        same_judge: Nobody had to be asked: it is the baseline's judge, or no metric needs one.
        judged: Distinct outputs with a fresh judgement. without_contexts: Metrics that need the
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
    judgement in the cache is mistaken for one with them, since texts belong to its key.

    Raises:
        NoBaselineError, BaselineError: there is none, or nothing of it can be judged.
        ConfigError: the policy has no judge.
        ProviderError: the judge gave no score for something; the baseline is as it was.
    """
    stored = stored_answers(config)
    active = make_metrics(config, stored.golden, states={})
    metrics = _judged_metrics(active)
    if not metrics:
        return Rejudgement(same_judge=True)
    stored.refuse_unreadable(config)
    old, records, samples = stored.run, stored.records, stored.samples
    spared = recorded_stages(config, active, records, samples)
    async with (
        open_resources(config, operations) as opened,
        open_judge(config, opened) as opened_judge,
    ):
        judge = opened_judge.judge
        if is_same_judge(judge, old):
            return Rejudgement(same_judge=True)
        chosen, without = _sort_out(config, judge, metrics, records)
        judging = opened_judge.judging(
            chosen, samples=stored.golden, eval_date=old.manifest.eval_date, spared=spared
        )
        remedy = "finished verdicts are kept, and the baseline is as it was: start it again"
        async with within(config.policy.max_minutes, remedy=remedy):
            new = await _judge_all(judging, records, samples, chosen, old)
    refuse_unscored(judging, old, new, chosen, samples=samples, spared=spared)
    stored.save(config, new)
    rows = tuple(agreement_on(config, metric.info, old, new) for metric in chosen)
    return Rejudgement(False, judging.fresh, rows, without)


def _sort_out(
    config: Config, judge: Judge, metrics: Sequence[Judged], records: Sequence[Record]
) -> tuple[list[Judged], tuple[str, ...]]:
    """Return the metrics that can be judged, and the names of those that lack the contexts."""
    declared = judge_abilities(judge).grounded
    grounded = judge.criteria if declared is None else declared
    without = tuple(
        metric.info.name
        for metric in metrics
        if metric.criterion in grounded and not has_texts(records, metric.info.name)
    )
    chosen = [metric for metric in metrics if metric.info.name not in without]
    if not chosen:
        raise without_contexts(config, without)
    return chosen, without


def _judged_metrics(active: Sequence[Metric | Aggregate]) -> list[Judged]:
    # A value over the whole run is not made of judgements on single answers.
    return [metric for metric in judged_metrics(active) if not metric.info.aggregate]


async def _judge_all(
    judging: Judging,
    records: Sequence[Record],
    samples: Mapping[str, Sample],
    metrics: Sequence[Judged],
    old: Run,
) -> Run:
    try:
        for record in records:
            if record.content_hash in samples:
                judging.submit(samples[record.content_hash], record.output)
                await judging.queue.room()
        await judging.settle()
    finally:
        await judging.close()
    manifest = old.manifest
    judged = {
        name
        for name, info in manifest.metrics.items()
        if info.needs is Needs.JUDGE and not info.aggregate
    }
    updated = (_rescored(judging, record, samples, metrics, judged) for record in records)
    unjudged = {name: info for name, info in manifest.metrics.items() if name not in judged}
    infos = unjudged | {metric.info.name: metric.info for metric in metrics}
    fresh = manifest.amended(judge=judging.fingerprint, metrics=infos)
    return Run(manifest=fresh, records=list(updated), aggregates=old.aggregates)


def _rescored(
    judging: Judging,
    record: Record,
    samples: Mapping[str, Sample],
    metrics: Sequence[Judged],
    judged: set[str],
) -> Record:
    scores = {name: score for name, score in record.scores.items() if name not in judged}
    sample = samples.get(record.content_hash)
    for metric in metrics:
        name = metric.info.name
        if sample is None:
            scores[name] = unscored(name, GONE)
        else:
            score = judging.judgement(sample, record.output)[metric.criterion]
            scores[name] = replace(score, metric=name)
    return record.amended(scores=scores)


# How a new judge agrees with the old one on the outputs that a baseline holds.


GRADE_PASS = 4.0


@dataclass(frozen=True)
class Agreement:
    """Old judge against new on one metric.

    Attributes:
        n: Distinct stored outputs that both scored.
        agreement: Share with the same pass or fail; kappa: the same beyond chance, None where one
            side always says the same.
        flips: Samples whose pass or fail changed.
    """

    metric: str
    n: int
    old_mean: float | None
    new_mean: float | None
    agreement: float | None
    kappa: float | None
    flips: tuple[str, ...]


def agreement_on(config: Config, info: MetricInfo, old: Run, new: Run) -> Agreement:
    """Compare the scores of one metric in a baseline before and after it was judged anew."""
    marks = {rule.metric: rule.pass_at for rule in config.policy.metrics}
    mark = _mark(info) if (own_mark := marks.get(info.name)) is None else own_mark
    pairs: dict[tuple[str, str], tuple[float, float]] = {}
    for before, after in zip(old.records, new.records, strict=True):
        old_score, new_score = before.scores.get(info.name), after.scores[info.name]
        if old_score is not None and old_score.value is not None and new_score.value is not None:
            pairs[before.sample_id, before.output_hash] = (old_score.value, new_score.value)
    passes = [(a >= mark - 1e-9, b >= mark - 1e-9) for a, b in pairs.values()]
    flips = [key[0] for key, (a, b) in zip(pairs, passes, strict=True) if a != b]
    return Agreement(
        metric=info.name,
        n=len(pairs),
        old_mean=_mean([a for a, _ in pairs.values()]),
        new_mean=_mean([b for _, b in pairs.values()]),
        agreement=_mean([float(a == b) for a, b in passes]),
        kappa=kappa([a for a, _ in passes], [b for _, b in passes]) if passes else None,
        flips=tuple(dict.fromkeys(flips)),
    )


def _mark(info: MetricInfo) -> float:
    return GRADE_PASS if info.unit == "grade" else (info.high or 1.0)


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None


# What a scorecard spares of a baseline: by the scores that it holds, for texts may be left out.


def recorded_stages(
    config: Config,
    metrics: Sequence[Metric | Aggregate],
    records: Sequence[Record],
    samples: Mapping[str, Sample],
) -> SparedStages | None:
    """Return what a judge need not be asked again; None where nothing is spared.

    Args:
        metrics: Those of the policy.
        samples: By the hash of their content.
    """
    held = [
        metric
        if metric.info.needs is Needs.JUDGE or metric.info.aggregate
        else AskedMetric(cast("AskingMetric", metric))
        for metric in metrics
    ]
    stages = spared_stages(config.policy.scorecard, held)
    if stages is None:
        return None
    filled = [metric for metric in held if isinstance(metric, AskedMetric)]
    for record in records:
        sample = samples.get(record.content_hash)
        if sample is None:
            continue
        key = key_of(sample, record.output)
        known = [metric for metric in filled if metric.info.name in record.scores]
        for metric in known:
            metric.scores[key] = record.scores[metric.info.name]
    return stages


# Whether a baseline can be judged again, and whether a new judge lost nothing of it.


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


def without_contexts(config: Config, names: Sequence[str]) -> BaselineError:
    """Return that these metrics, which are all, would read what is not there."""
    return BaselineError(
        f"{config.policy.baseline} holds no contexts, and {', '.join(names)} "
        f"{'reads' if len(names) == 1 else 'read'} them, so nothing can be judged again",
        remedy='set [policy] store = "full" and run `ragate baseline update`; '
        "the baseline is as it was",
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
