"""What a run would cost, before anything is spent: the requests are built, and none is sent."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

from ragate import plugins
from ragate.answers.collected_outputs import run_pass
from ragate.answers.output_spool import Outputs
from ragate.answers.run_profile import Selection
from ragate.clients.call_times import CallTimes, known_times
from ragate.clients.memoised import MemoisedChat
from ragate.clients.prices import Price, price_of
from ragate.config import Config
from ragate.core.conversation import conversation
from ragate.core.judging.applicability import PAIRWISE
from ragate.errors import ProviderError
from ragate.gate.gate_setup import load_baseline_or_none, load_samples
from ragate.judges import canaries_for
from ragate.models import RetrievedChunk, Run, Sample, SystemOutput
from ragate.protocols import ChatClient, ChatReply, ChatRequest, Judge, judge_abilities
from ragate.resources.operations import Operations
from ragate.resources.provider_clients import JUDGE
from ragate.resources.resources import Opened, open_resources
from ragate.scoring.judgement_cache import CachedSteps, cached_judgements, cached_steps
from ragate.scoring.known_judgements import KnownJudgements, asks, opponents_of
from ragate.scoring.policy_metrics import judged_metrics, make_metrics
from ragate.scoring.spared_stages import SparedStages, not_spared, spared_stages

# Requests that are measured in place of being sent.

Question = tuple[Sample, SystemOutput, tuple[str, ...]]
CHARS_PER_TOKEN = 4
JUDGEMENT_TOKENS = 500


@dataclass
class Sizes:
    """Requests that would be sent, their tokens by rule of thumb, and their price.

    Attributes:
        calls, most: How many at least and at most: a judge may ask on until it has its verdict.
        times: How long earlier calls to the model took, None where there were none.
    """

    calls: int = 0
    most: int = 0
    prompt_tokens: int = 0
    cost_usd: float | None = 0.0
    times: CallTimes | None = None

    @property
    def seconds(self) -> float | None:
        """Return how long they would take, None where nothing is known of such calls."""
        if not self.most:
            return 0.0
        return None if self.times is None else self.most * self.times.each_s

    def add(
        self,
        texts: Iterable[str],
        calls: int,
        price: Price | None,
        *,
        output_tokens: int,
        most: int = 0,
    ) -> None:
        """Count calls, each with these texts in its request.

        Args:
            most: What may become of them, where each sends a part of the texts: it is priced.
        """
        tokens = calls * sum(map(len, texts)) // CHARS_PER_TOKEN
        most = max(calls, most)
        self.calls += calls
        self.most += most
        self.prompt_tokens += tokens
        if price is None or self.cost_usd is None:
            self.cost_usd = None
        else:
            self.cost_usd += price.of(input_tokens=tokens, output_tokens=most * output_tokens)


@dataclass
class Unsent:
    """A client that measures requests in place of sending them."""

    prices: dict[str, Price]
    output_tokens: int
    sizes: Sizes

    async def __call__(self, request: ChatRequest, *, draw: int = 0) -> ChatReply:
        del draw
        price = price_of(request.model, self.prices)
        texts = (content for _, content in request.messages)
        self.sizes.add(texts, 1, price, output_tokens=self.output_tokens)
        _not_sent()

    async def embed(self, _texts: Sequence[str], **_settings: object) -> NoReturn:
        _not_sent()


def _not_sent() -> NoReturn:
    raise ProviderError("not sent: this is an estimate")


def prices_of(config: Config, name: str) -> dict[str, Price]:
    """Return the prices of a provider by model."""
    provider = config.policy.providers.get(name)
    return dict(provider.prices) if provider is not None else {}


ANSWER_TOKENS = 250
CONTEXT_TOKENS = 2000


@dataclass
class Estimate:
    """What one run over the samples would send.

    Attributes:
        reused: Samples whose model request is known already.
        known: False where the system makes calls of its own, or embeds: then every sample counts.
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
    def most(self) -> int:
        return self.answers.most + self.judgements.most

    @property
    def cost_usd(self) -> float | None:
        if self.answers.cost_usd is None or self.judgements.cost_usd is None:
            return None
        return self.answers.cost_usd + self.judgements.cost_usd

    @property
    def seconds(self) -> float | None:
        """Return how long all would take one after the other, None where that is not known."""
        answers, judgements = self.answers.seconds, self.judgements.seconds
        if not self.known or answers is None or judgements is None:
            return None
        return answers + judgements


async def estimate(config: Config, operations: Operations, selection: Selection) -> Estimate:
    """Return what `check` with the same options would send in its first run."""
    samples = load_samples(config, selection.filters)
    baseline = load_baseline_or_none(config)
    total = Estimate(samples=len(samples))
    async with open_resources(
        config,
        operations,
        baseline=baseline,
        top_k=selection.filters.top_k,
        retrieval_only=selection.retrieval_only,
    ) as opened:
        opened.cache.turns.longest_s = 0.0
        outputs = await _answers(config, opened, samples, total)
        total.answers.times = _times(config, opened, config.system.settings.get("answer"))
        if not selection.retrieval_only:
            skip = selection.filters.skip
            total.judgements = await _judgements(
                config, opened, samples, outputs, baseline, skip=skip
            )
    return total


def _times(config: Config, opened: Opened, asked: object, *, client: str = "") -> CallTimes | None:
    """Return how long calls to the model of a table took.

    Args:
        client: As of `JUDGE`, where it is the judge's table.
    """
    if not isinstance(asked, dict):
        return None
    name = str(asked.get("provider", ""))
    address = config.policy.address(name)
    return known_times(opened.cache, f"{client}{name}", address, _model(asked))


async def _answers(
    config: Config, opened: Opened, samples: Sequence[Sample], total: Estimate
) -> Outputs:
    """Return the outputs, those without a known answer as failures; count their requests."""

    def chat(name: str) -> ChatClient:
        unsent = Unsent(prices_of(config, name), ANSWER_TOKENS, total.answers)
        address = config.policy.address(name)
        return MemoisedChat(unsent, opened.memo, provider=name, address=address)

    if not plugins.traits(config.system.use).counted:
        total.known = False
        return {}
    if {"embedder", "rerank"} & config.system.settings.keys():
        total.known = False
        if not opened.system.retrieval_only:
            _count_chat_answers(config, samples, total.answers)
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
            again=False,  # nothing is sent, so that asking again would count a request twice
        )
    total.reused = sum(output.error is None for output in outputs.values())
    return outputs


def _count_chat_answers(config: Config, samples: Sequence[Sample], sizes: Sizes) -> None:
    """Count an answer to every sample, with contexts of usual length: nothing was retrieved."""
    settings = config.system.settings.get("answer")
    if not isinstance(settings, dict) or settings.get("use") != "chat":
        return
    price = price_of(_model(settings), prices_of(config, str(settings.get("provider"))))
    for sample in samples:
        texts = (conversation(sample), "x" * CONTEXT_TOKENS * CHARS_PER_TOKEN)
        sizes.add(texts, 1, price, output_tokens=ANSWER_TOKENS)


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
    metrics = [m for m in make_metrics(config, samples, states={}) if m.info.name not in skip]
    judged = judged_metrics(metrics)
    card = config.policy.scorecard
    spared = spared_stages(card and card.without(skip), metrics)
    sizes = Sizes()
    if settings is None or not judged:
        return sizes
    sizes.times = _times(config, opened, settings.own, client=JUDGE)
    prices = prices_of(config, settings.provider)
    price, unsent = price_of(_model(settings.own), prices), Unsent(prices, JUDGEMENT_TOKENS, sizes)
    resources = replace(opened.judge, chat=lambda _name: unsent)
    async with plugins.judge(settings.use, settings.own, resources) as judge:
        known_judgements = KnownJudgements(
            judge,
            judged,
            baseline=baseline,
            cache=cached_judgements(config, opened),
            opponents=opponents_of(baseline),
        )
        likely = _all_likely(samples, outputs, baseline)
        questions = _questions(known_judgements, likely, outputs, spared)
        questions += _canaries(known_judgements, questions, cached_steps(config, opened))
        for sample, output, criteria in questions:
            if judge_abilities(judge).counted:
                with suppress(ProviderError):  # as `Unsent` says that nothing was sent
                    await judge(criteria, sample, output)
            else:  # nothing would hold back the requests that it sends by ways of its own
                _add_judgement(sizes, judge, criteria, sample, output, price)
    return sizes


def _add_judgement(
    sizes: Sizes,
    judge: Judge,
    criteria: Sequence[str],
    sample: Sample,
    output: SystemOutput,
    price: Price | None,
) -> None:
    calls, most = _calls(judge, criteria, sample, output)
    texts = [output.answer or "", *(chunk.text for chunk in output.chunks)]
    sizes.add(texts, calls, price, output_tokens=JUDGEMENT_TOKENS, most=most)


def _calls(
    judge: Judge, criteria: Sequence[str], sample: Sample, output: SystemOutput
) -> tuple[int, int]:
    """Return how many requests a judgement takes, at least and at most."""
    names = [name for name in criteria if name == PAIRWISE or asks(judge, [name], sample, output)]
    calls = len(names) + (PAIRWISE in names)  # which is asked in both orders
    most_calls = judge_abilities(judge).most_calls
    return calls, calls if most_calls is None else most_calls(names, sample, output)


def _all_likely(
    samples: Sequence[Sample], outputs: Outputs, baseline: Run | None
) -> list[tuple[Sample, SystemOutput]]:
    recorded = {each.sample_id: each.output for each in baseline.records} if baseline else {}
    return [(each, _likely(each, outputs.get(each.id), recorded.get(each.id))) for each in samples]


def _questions(
    judgements: KnownJudgements,
    likely: Sequence[tuple[Sample, SystemOutput]],
    outputs: Outputs,
    spared: SparedStages | None,
) -> list[Question]:
    """Return what the judge would be asked about, with the criteria.

    What a stage without a model spares is left out where the output is there; what one with a model
    would spare is not known before it is asked.
    """
    all_criteria = _criteria(judgements)
    asked = [pair for pair in likely if not judgements.covers(*pair)]
    left = [not_spared(spared, all_criteria, one, outputs.get(one.id)) for one, _ in asked]
    return [(*pair, names) for pair, names in zip(asked, left, strict=True) if names]


def _canaries(
    judgements: KnownJudgements, questions: Sequence[Question], steps: CachedSteps
) -> list[Question]:
    """Return the known answers that are asked about beside the questions."""
    judge, criteria = judgements.judge, judgements.criteria
    compared = bool(questions) and judgements.opponents is not None
    if not compared and not any(asks(judge, criteria, *one[:2]) for one in questions):
        return []
    if steps.passed(judge, _criteria(judgements)):
        return []
    known = ((one.canary, one.names) for one in canaries_for(judge, _criteria(judgements)))
    return [(canary.sample, canary.output, names) for canary, names in known]


def _criteria(judgements: KnownJudgements) -> tuple[str, ...]:
    compares = judgements.opponents is not None
    return tuple(sorted((*judgements.criteria, PAIRWISE))) if compares else judgements.criteria


def _likely(
    sample: Sample, output: SystemOutput | None, recorded: SystemOutput | None
) -> SystemOutput:
    """Stand in for an answer that is not there yet: the reference, or text of usual length.

    It has as many contexts as the recorded one.
    """
    if output is not None and output.error is None:
        return output
    answer = sample.references[0] if sample.references else "x" * ANSWER_TOKENS * CHARS_PER_TOKEN
    chunks = output.chunks if output is not None else ()
    number = max(1, len(recorded.chunks)) if recorded is not None else 1
    text = "x" * (CONTEXT_TOKENS * CHARS_PER_TOKEN // number)
    usual = (RetrievedChunk(doc_id="unknown", text=text),) * number
    return SystemOutput(answer=answer, chunks=chunks or usual)


def _model(settings: Mapping[str, Any]) -> str:
    """Return the name of the judge's model, "" where only its own code knows it."""
    named = {**settings.get("llm_settings", {}), **settings}
    return str(named.get("model", ""))
