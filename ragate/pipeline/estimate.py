"""What a run would cost, before anything is spent: the requests are built, and none is sent."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ragate import plugins
from ragate.clients.memoised.memoised_chat import MemoisedChat
from ragate.clients.prices import price_of
from ragate.config import Config
from ragate.core.judging.criteria import PAIRWISE
from ragate.judges import canaries_for
from ragate.models import RetrievedChunk, Run, Sample, SystemOutput
from ragate.pipeline.decide.gate_setup import load_baseline_or_none, load_samples
from ragate.pipeline.request_sizes import (
    CHARS_PER_TOKEN,
    JUDGEMENT_TOKENS,
    Sizes,
    Unsent,
    prices_of,
)
from ragate.pipeline.run.collect_pass import run_pass
from ragate.pipeline.run.selection import Selection
from ragate.pipeline.score.asked.spared_stages import SparedStages, not_spared, spared_stages
from ragate.pipeline.score.judgement_cache import cached_judgements
from ragate.pipeline.score.known_judgements import KnownJudgements, asks
from ragate.pipeline.score.pairwise import opponents_of
from ragate.pipeline.score.policy_metrics import judged_metrics, make_metrics
from ragate.protocols import ChatClient
from ragate.runtime.operations import Operations
from ragate.runtime.output_spool import Outputs
from ragate.runtime.resources import Opened, open_resources

ANSWER_TOKENS = 250
CONTEXT_TOKENS = 2000


@dataclass
class Estimate:
    """What one run over the samples would send.

    Attributes:
        reused: Samples whose model request is known already.
        known: False where the system makes its own calls, or embeds: then every sample counts.
        answers, judgements: Requests for answers and for judgements, canaries included.
    """

    samples: int
    reused: int = 0
    known: bool = True
    answers: Sizes = field(default_factory=Sizes)
    judgements: Sizes = field(default_factory=Sizes)

    @property
    def calls(self) -> int:
        return self.answers.calls + self.judgements.calls

    @property
    def cost_usd(self) -> float | None:
        if self.answers.cost_usd is None or self.judgements.cost_usd is None:
            return None
        return self.answers.cost_usd + self.judgements.cost_usd


async def estimate(config: Config, operations: Operations, selection: Selection) -> Estimate:
    """Return what `check` with the same options would send in its first run."""
    samples = load_samples(config, selection.filters)
    baseline = load_baseline_or_none(config)
    total = Estimate(samples=len(samples))
    async with open_resources(
        config,
        operations,
        baseline=baseline,
        top_k=selection.top_k,
        retrieval_only=selection.retrieval_only,
    ) as opened:
        outputs = await _answers(config, opened, samples, total)
        if not selection.retrieval_only:
            skip = selection.filters.skip
            total.judgements = await _judgements(
                config, opened, samples, outputs, baseline, skip=skip
            )
    return total


async def _answers(
    config: Config, opened: Opened, samples: Sequence[Sample], total: Estimate
) -> Outputs:
    """Return the outputs, those without a known answer as failures; count their requests."""

    def chat(name: str) -> ChatClient:
        unsent = Unsent(prices_of(config, name), ANSWER_TOKENS, total.answers)
        address = config.policy.address(name)
        return MemoisedChat(unsent, opened.memo, provider=name, address=address)

    counted = plugins.traits(config.system.use).counted
    if not counted or {"embedder", "rerank"} & config.system.settings.keys():
        total.known = False
        return {}
    resources = replace(opened.system, chat=chat)
    async with plugins.system(config.system.use, config.system.settings, resources) as system:
        await system.prepare()
        outputs = await run_pass(
            system,
            samples,
            run=0,
            concurrency=resources.concurrency,
            timeout_s=resources.timeout_s,
        )
    total.reused = sum(output.error is None for output in outputs.values())
    return outputs


async def _judgements(
    config: Config,
    opened: Opened,
    samples: Sequence[Sample],
    outputs: Outputs,
    baseline: Run | None,
    *,
    skip: Sequence[str],
) -> Sizes:
    """Count the requests for judgements that are not there yet, canaries included."""
    settings = config.policy.judge
    made = make_metrics(config, samples, states={})
    metrics = [metric for metric in made if metric.info.name not in skip]
    judged = judged_metrics(metrics)
    spared = spared_stages(config.policy.scorecard, metrics)
    sizes = Sizes()
    if settings is None or not judged:
        return sizes
    prices = prices_of(config, settings.provider)
    price = price_of(_model(settings.own), prices)
    unsent = Unsent(prices, JUDGEMENT_TOKENS, sizes)
    resources = replace(opened.judge, chat=lambda _name: unsent)
    async with plugins.judge(settings.use, settings.own, resources) as judge:
        known_judgements = KnownJudgements(
            judge,
            judged,
            baseline=baseline,
            cache=cached_judgements(config, opened),
            opponents=opponents_of(baseline),
        )
        for sample, output, criteria in _questions(known_judgements, samples, outputs, spared):
            if settings.use == "rubric":
                await judge(criteria, sample, output)
            else:  # a comparison is asked for in both orders
                sizes.add_unbuilt(output, len(criteria) + (PAIRWISE in criteria), price)
    return sizes


def _questions(
    judgements: KnownJudgements,
    samples: Sequence[Sample],
    outputs: Outputs,
    spared: SparedStages | None,
) -> list[tuple[Sample, SystemOutput, tuple[str, ...]]]:
    """Return what the judge would be asked about, with the criteria.

    What a stage without a model spares is left out where the output is there; what one with a model
    would spare is not known before it is asked.
    """
    judge, criteria = judgements.judge, judgements.criteria
    compares = judgements.opponents is not None
    all_criteria = tuple(sorted((*criteria, PAIRWISE))) if compares else criteria
    likely = [(sample, _likely(sample, outputs.get(sample.id))) for sample in samples]
    asked = [pair for pair in likely if not judgements.covers(*pair)]
    left = [not_spared(spared, all_criteria, one, outputs.get(one.id)) for one, _ in asked]
    questions = [(*pair, names) for pair, names in zip(asked, left, strict=True) if names]
    compared = bool(questions) and compares
    if compared or any(asks(judge, criteria, sample, output) for sample, output, _ in questions):
        canaries = ((one.canary, one.names) for one in canaries_for(judge, all_criteria))
        questions += [(canary.sample, canary.output, names) for canary, names in canaries]
    return questions


def _likely(sample: Sample, output: SystemOutput | None) -> SystemOutput:
    """Stand in for an answer that is not there yet: the reference, or text of usual length."""
    if output is not None and output.error is None:
        return output
    answer = sample.references[0] if sample.references else "x" * ANSWER_TOKENS * CHARS_PER_TOKEN
    chunks = output.chunks if output is not None else ()
    usual = RetrievedChunk(doc_id="unknown", text="x" * CONTEXT_TOKENS * CHARS_PER_TOKEN)
    return SystemOutput(answer=answer, chunks=chunks or (usual,))


def _model(settings: Mapping[str, Any]) -> str:
    """Return the name of the judge's model, "" where only its own code knows it."""
    named = {**settings.get("llm_settings", {}), **settings}
    return str(named.get("model", ""))
