"""What a run would cost, before anything is spent: the requests are built, and none is sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn, cast

from ragate import plugins
from ragate.clients.memoised.memoised_chat import MemoisedChat
from ragate.clients.prices import Price, price_of
from ragate.config import Config
from ragate.core.judging.criteria import PAIRWISE
from ragate.errors import ProviderError
from ragate.judges import canaries_for
from ragate.models import Needs, RetrievedChunk, Run, Sample, SystemOutput
from ragate.pipeline.decide.gate_setup import load_baseline_or_none, load_samples
from ragate.pipeline.run.collect_pass import run_pass
from ragate.pipeline.run.system_session import Selection
from ragate.pipeline.score.judgement_cache import cached_judgements
from ragate.pipeline.score.judging import Judging, asks
from ragate.pipeline.score.metric_records import make_metrics
from ragate.pipeline.score.pairwise import opponents_of
from ragate.protocols import ChatClient, ChatReply, ChatRequest, JudgeMetric
from ragate.runtime.output_spool import Outputs
from ragate.runtime.resources import Opened, Operations, open_resources

CHARS_PER_TOKEN = 4
ANSWER_TOKENS = 250
VERDICT_TOKENS = 500
CONTEXT_TOKENS = 2000


@dataclass
class Sizes:
    """Requests that would be sent: how many, their tokens by rule of thumb, and their price."""

    calls: int = 0
    prompt_tokens: int = 0
    cost_usd: float | None = 0.0

    def add(self, request: ChatRequest, price: Price | None, *, output_tokens: int) -> None:
        tokens = sum(len(content) for _, content in request.messages) // CHARS_PER_TOKEN
        self._count(1, tokens, price, output_tokens=output_tokens)

    def add_unbuilt(self, output: SystemOutput, calls: int, price: Price | None) -> None:
        """Count the calls of a judge that sends them by ways of its own: at least one a criterion.

        Such a judge is not asked even for an estimate, since nothing would hold its requests back.
        """
        texts = [output.answer or "", *(chunk.text for chunk in output.chunks)]
        tokens = calls * sum(map(len, texts)) // CHARS_PER_TOKEN
        self._count(calls, tokens, price, output_tokens=calls * VERDICT_TOKENS)

    def _count(self, calls: int, tokens: int, price: Price | None, *, output_tokens: int) -> None:
        self.calls += calls
        self.prompt_tokens += tokens
        if price is None or self.cost_usd is None:
            self.cost_usd = None
        else:
            self.cost_usd += price.of(input_tokens=tokens, output_tokens=output_tokens)


@dataclass
class Estimate:
    """What one run over the samples would send.

    Attributes:
        reused: Samples whose model request is known already.
        known: False where the system makes its own calls, or embeds: then every sample counts.
        answers, verdicts: Requests for answers and for judgements, canaries included.
    """

    samples: int
    reused: int = 0
    known: bool = True
    answers: Sizes = field(default_factory=Sizes)
    verdicts: Sizes = field(default_factory=Sizes)

    @property
    def calls(self) -> int:
        return self.answers.calls + self.verdicts.calls

    @property
    def cost_usd(self) -> float | None:
        if self.answers.cost_usd is None or self.verdicts.cost_usd is None:
            return None
        return self.answers.cost_usd + self.verdicts.cost_usd


@dataclass
class Unsent:
    """A client that measures requests in place of sending them."""

    prices: dict[str, Price]
    output_tokens: int
    sizes: Sizes

    async def __call__(self, request: ChatRequest, *, draw: int = 0) -> ChatReply:
        del draw
        price = price_of(request.model, self.prices)
        self.sizes.add(request, price, output_tokens=self.output_tokens)
        _not_sent()

    async def embed(self, _texts: Sequence[str], **_settings: object) -> NoReturn:
        _not_sent()


def _not_sent() -> NoReturn:
    raise ProviderError("not sent: this is an estimate")


async def estimate(config: Config, operations: Operations, selection: Selection) -> Estimate:
    """Return what `check` with the same options would send in its first run."""
    samples = load_samples(config, selection)
    baseline = load_baseline_or_none(config)
    found = Estimate(samples=len(samples))
    async with open_resources(
        config,
        operations,
        baseline=baseline,
        top_k=selection.top_k,
        retrieval_only=selection.retrieval_only,
    ) as opened:
        outputs = await _answers(config, opened, samples, found)
        if not selection.retrieval_only:
            skip = selection.filters.skip
            await _verdicts(config, opened, samples, outputs, baseline, found, skip=skip)
    return found


async def _answers(
    config: Config, opened: Opened, samples: Sequence[Sample], found: Estimate
) -> Outputs:
    """Return the outputs, those without a known answer as failures; count their requests."""

    def chat(name: str) -> ChatClient:
        unsent = Unsent(_prices(config, name), ANSWER_TOKENS, found.answers)
        address = config.policy.address(name)
        return MemoisedChat(unsent, opened.memo, provider=name, address=address)

    if config.system.use != "pgvector" or {"embedder", "rerank"} & config.system.settings.keys():
        found.known = False
        return {}
    module = plugins.load("systems", config.system.use)
    resources = replace(opened.system, chat=chat)
    async with module.create(config.system.settings, resources) as system:
        await system.prepare()
        outputs = await run_pass(
            system,
            samples,
            run=0,
            concurrency=resources.concurrency,
            timeout_s=resources.timeout_s,
            on_output=lambda _sample, _output, _run: None,
        )
    found.reused = sum(output.error is None for output in outputs.values())
    return outputs


async def _verdicts(
    config: Config,
    opened: Opened,
    samples: Sequence[Sample],
    outputs: Outputs,
    baseline: Run | None,
    found: Estimate,
    *,
    skip: Sequence[str],
) -> None:
    settings = config.policy.judge
    made = make_metrics(config, samples, states={})
    judged = [
        cast("JudgeMetric", one)
        for one in made
        if one.info.needs is Needs.JUDGE and one.info.name not in skip
    ]
    if settings is None or not judged:
        return
    sizes = Sizes()
    prices = _prices(config, settings.provider)
    price = price_of(_model(settings.own), prices)
    unsent = Unsent(prices, VERDICT_TOKENS, sizes)
    resources = replace(opened.judge, chat=lambda _name: unsent)
    module = plugins.load("judges", settings.use)
    async with module.create(settings.own, resources) as judge:
        judging = Judging(
            judge,
            judged,
            baseline=baseline,
            cache=cached_judgements(config, opened),
            concurrency=1,
            timeout_s=settings.timeout_s,
            opponents=opponents_of(baseline),
        )
        wanted = tuple(sorted({one.criterion for one in judged}))
        criteria = [name for name in wanted if name != PAIRWISE]
        likely = [(sample, _likely(sample, outputs.get(sample.id))) for sample in samples]
        asked = [(*pair, wanted) for pair in likely if not judging.knows(*pair)]
        compared = bool(asked) and PAIRWISE in wanted
        if compared or any(asks(judge, criteria, sample, output) for sample, output, _ in asked):
            known = canaries_for(judge, wanted)
            asked += [(one.sample, one.output, names) for one, names in known]
        for sample, output, names in asked:
            if settings.use == "rubric":
                await judge(names, sample, output)
            else:  # a comparison is asked for in both orders
                sizes.add_unbuilt(output, len(names) + (PAIRWISE in names), price)
    found.verdicts = sizes


def _likely(sample: Sample, output: SystemOutput | None) -> SystemOutput:
    """Stand in for an answer that is not there yet: the reference, or text of usual length."""
    if output is not None and output.error is None:
        return output
    answer = sample.references[0] if sample.references else "x" * ANSWER_TOKENS * CHARS_PER_TOKEN
    chunks = output.chunks if output is not None else ()
    usual = RetrievedChunk(doc_id="unknown", text="x" * CONTEXT_TOKENS * CHARS_PER_TOKEN)
    return SystemOutput(answer=answer, chunks=chunks or (usual,))


def _model(own: Mapping[str, Any]) -> str:
    """Return the name of the judge's model, "" where only its own code knows it."""
    named = {**own.get("llm_settings", {}), **own}
    return str(named.get("model", ""))


def _prices(config: Config, name: str) -> dict[str, Price]:
    provider = config.policy.providers.get(name)
    return dict(provider.prices) if provider is not None else {}
