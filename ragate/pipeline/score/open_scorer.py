"""From the policy to a scorer: which metrics are measured, and by which judge."""

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager

from ragate.config import Config
from ragate.core.comparison.earlier_rankings import earlier_rankings
from ragate.errors import ConfigError
from ragate.models import Needs, Reads
from ragate.pipeline.score.asked.spared_stages import spared_stages
from ragate.pipeline.score.asked_metrics import AskedMetrics
from ragate.pipeline.score.judge_readiness import JudgeReadiness
from ragate.pipeline.score.open_judge import open_judge
from ragate.pipeline.score.pairwise import opponents_of
from ragate.pipeline.score.policy_metrics import judged_metrics, make_metrics
from ragate.pipeline.score.scorer import Scorer, ScoringPlan
from ragate.protocols import Aggregate, Metric


@asynccontextmanager
async def open_scorer(plan: ScoringPlan) -> AsyncIterator[Scorer]:
    """Yield the scorer of one run.

    Raises:
        ConfigError: a metric needs a judge and the policy names none.
    """
    config, samples, opened, baseline = plan.config, plan.samples, plan.opened, plan.baseline
    states = baseline.manifest.states if baseline else {}
    active = make_metrics(
        config,
        samples,
        states=states,
        clients=opened.metrics,
        eval_date=plan.selection.eval_date,
        earlier=earlier_rankings(baseline, recording=plan.recording),
    )
    left_out = _left_out(active, plan)
    asked = AskedMetrics(
        [metric for metric in active if metric.info.name not in left_out],
        baseline=baseline,
        concurrency=opened.system.concurrency,
        timeout_s=opened.system.timeout_s,
    )
    metrics = asked.metrics
    judged = judged_metrics(metrics)
    spared = spared_stages(config.policy.scorecard, metrics)
    if not judged:
        yield Scorer(plan, metrics, left_out, asked, spared=spared)
        return
    settings = config.policy.judge
    names = [metric.info.name for metric in judged]
    if settings is None:
        raise ConfigError(
            f"{', '.join(names)}: needs a judge", remedy="add [policy.judge]: docs/judge.md"
        )
    wanted = config.policy.needed
    needed = [name for name in names if plan.recording or name in wanted]
    readiness = JudgeReadiness(config, settings, opened, needed, recording=plan.recording)
    async with open_judge(config, settings, opened, chat=readiness.chat) as judge:
        judging = judge.judging(
            judged,
            samples=samples,
            eval_date=plan.selection.eval_date,
            baseline=baseline,
            opponents=opponents_of(None if plan.recording else baseline),
            may_ask=plan.may_ask,
            spared=spared,
        )
        try:
            # What the judge lacks is to be told before more is paid for.
            ahead = spared.ahead if spared is not None and readiness.lack() is None else ()
            yield Scorer(plan, metrics, left_out, asked, judging, readiness, spared, ahead)
        finally:
            await judging.close()


def _left_out(metrics: Sequence[Metric | Aggregate], plan: ScoringPlan) -> dict[str, str]:
    """Return what is not measured on purpose, by metric, with the reason."""
    unjudged = plan.unjudged or _keyless(plan.config, plan.opened.judge.environment)
    reasons = {}
    for metric in metrics:
        if plan.selection.retrieval_only and metric.info.reads is Reads.ANSWER:
            reasons[metric.info.name] = "--retrieval-only"
        elif metric.info.name in plan.selection.filters.skip:
            reasons[metric.info.name] = "--skip"
        elif metric.info.needs is Needs.JUDGE and unjudged:
            reasons[metric.info.name] = unjudged
    return reasons


def _keyless(config: Config, environment: Mapping[str, str]) -> str:
    """Return that the judge has no key, where the policy lets a run go without it."""
    if config.policy.without_key != "judge-free" or config.policy.judge is None:
        return ""
    missing = config.policy.unset_key(config.policy.judge.provider, environment)
    return f"{missing} is not set; [policy] without_key = judge-free" if missing else ""
