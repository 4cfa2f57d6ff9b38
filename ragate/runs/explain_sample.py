"""All that is known of one sample of a stored run, beside the baseline."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

from ragate import plugins
from ragate.answers.relative_dates import judged_on
from ragate.baseline import load_contexts, with_texts
from ragate.config import Config
from ragate.core.comparison.run_passes import deciding_run, earlier_passes, newest_run
from ragate.core.comparison.sample_matching import as_named_today
from ragate.core.conditions import fits
from ragate.core.decision.scorecard import staged
from ragate.core.diagnosis.advice import advice_for
from ragate.core.diagnosis.sample_change import passed
from ragate.core.diagnosis.standing_faults import fault_of
from ragate.core.diagnosis.system_changes import writes_by_model
from ragate.core.judging.applicability import PAIRWISE
from ragate.errors import ProviderError, RagateError, UsageError
from ragate.gate.gate_setup import load_baseline_or_none
from ragate.guards.redact import Redactor
from ragate.models import Record, Run, Sample
from ragate.outputs.outputs_file import read_outputs
from ragate.protocols import ChatReply, ChatRequest, Judge, Resources, Steps, judge_abilities
from ragate.renderers._samples import pass_words
from ragate.renderers.explain import JudgeQuestion, explain
from ragate.resources.operations import Operations
from ragate.resources.resources import open_resources
from ragate.runs.compare_stored import samples_of_run
from ragate.scoring.judgement_cache import cached_steps, reply_key
from ragate.scoring.known_judgements import adopt
from ragate.scoring.policy_metrics import judged_metrics, make_metrics
from ragate.settings import nearest
from ragate.stores import OUTPUTS
from ragate.stores.local import LocalStore


def explain_sample(
    config: Config,
    store: LocalStore,
    folder: Path,
    sample_id: str,
    *,
    operations: Operations,
    ci: bool,
) -> str:
    """Return the text of `ragate report RUN --explain SAMPLE`.

    Raises:
        UsageError: the run has no such sample; names the nearest.
    """
    stored = store.load(folder)
    card = config.policy.scorecard
    card = card and card.without(stored.manifest.left_out)
    run = staged(stored, card)
    samples = {sample.id: sample for sample in samples_of_run(config, run)}
    if sample_id not in samples:
        raise UsageError(f"no sample {sample_id!r} in this run{nearest(sample_id, list(samples))}")
    recorded = load_baseline_or_none(config)
    before: list[Record] = []
    if recorded is not None:
        today = as_named_today(recorded, run)
        before = _of(staged(today, card), sample_id)
    after = _with_outputs(folder, _newest_first(run, sample_id))
    contexts = load_contexts(config.baseline)
    rows = {row.sample_id: row for row in store.load_report(folder).samples}
    told = explain(
        samples[sample_id],
        [with_texts(record, contexts) for record in before],
        after,
        row=rows.get(sample_id),
        ci=ci,
        slices=[part.name for part in config.policy.slices if fits(part, samples[sample_id])],
        marks=_marks(config, run, before, after),
        questions=asyncio.run(judge_questions(config, operations, run, samples[sample_id], after)),
    )
    system = run.manifest.system
    advice = advice_for(has_model=writes_by_model(system), keys=system.settings)
    fault = fault_of(_of(newest_run(run), sample_id), run.manifest.metrics, advice)
    return f"{told}\nAs it stands\n  {fault}\n" if fault else told


def _marks(
    config: Config, run: Run, before: Sequence[Record], after: Sequence[Record]
) -> dict[str, str]:
    """Return by metric whether the sample passes it, before and now."""
    marks = {}
    for rule in config.policy.rules:
        info = run.manifest.metrics.get(rule.metric)
        marks[rule.metric] = pass_words(passed(before, rule, info), passed(after, rule, info))
    return marks


def _of(run: Run, sample_id: str) -> list[Record]:
    return [record for record in run.records if record.sample_id == sample_id]


def _newest_first(run: Run, sample_id: str) -> list[Record]:
    """Return the records that decided, those of the newest run in front: what is true now."""
    first_run = earlier_passes(run.manifest)
    records = _of(deciding_run(run), sample_id)
    return sorted(records, key=lambda record: record.run < first_run)


def _with_outputs(folder: Path, records: list[Record]) -> list[Record]:
    """Put the full texts back where the run's own outputs file has them."""
    path = folder / OUTPUTS
    if not path.is_file() or not records:
        return records
    sample_id = records[0].sample_id
    lines = {line.run or 0: line for _, line in read_outputs(path)[1] if line.id == sample_id}
    return [
        record.amended(output=lines[record.run].output()) if record.run in lines else record
        for record in records
    ]


# What the judge of a run was asked about one output, and what it answered: from the cache alone.


_NOT_KEPT = "the reply is not in the cache"


async def judge_questions(
    config: Config, operations: Operations, run: Run, sample: Sample, records: Sequence[Record]
) -> list[JudgeQuestion]:
    """Return the questions about a sample's first output, in order, without keys.

    There are none where nobody judged it.
    """
    settings = config.policy.judge
    if run.manifest.judge is None or settings is None or not records:
        return []
    output = records[0].output
    if output.error is not None:
        return []
    if not plugins.is_builtin("judges", settings.use):
        return [JudgeQuestion(settings.use, note="a judge of your own is not asked again")]
    metrics = judged_metrics(make_metrics(config, [sample], states=run.manifest.states))
    criteria = sorted({each.criterion for each in metrics} - {PAIRWISE})
    try:
        async with _silent_judge(config, operations) as (judge, kept):
            adopt(judge, run.manifest.judge)
            if judge.fingerprint != run.manifest.judge:
                return [JudgeQuestion(settings.use, note="today's judge is not the run's")]
            dated = judged_on(judge, run.manifest.eval_date, [sample])
            apart = judge_abilities(judge).apart
            for group in [[name] for name in criteria] if apart else [criteria]:
                await dated(group, sample, output)
                kept.close(", ".join(group))
    except RagateError as error:
        return [JudgeQuestion(settings.use, note=error.message)]
    return _redacted(config, operations, kept.questions)


@asynccontextmanager
async def _silent_judge(
    config: Config, operations: Operations
) -> AsyncIterator[tuple[Judge, "_KeptReplies"]]:
    assert config.policy.judge is not None
    settings = config.policy.judge
    async with open_resources(config, operations) as opened:
        kept = _KeptReplies(cached_steps(config, opened))
        resources: Resources = replace(
            opened.judge,
            steps=kept,
            chat=lambda _provider: kept,
            capped=lambda _client: kept,
            embedder=_no_embedder,
        )
        async with plugins.judge(settings.use, settings.own, resources) as judge:
            yield judge, kept


def _no_embedder(_table: Any) -> NoReturn:
    raise ProviderError("an embedder is not asked again")


class _KeptReplies:
    """Both what a judge asks and what remembers its steps: nothing is sent, and all is noted.

    Attributes:
        questions: What was asked about the criteria that are done.
    """

    def __init__(self, steps: Steps) -> None:
        self._steps = steps
        self._open: list[JudgeQuestion] = []
        self.questions: list[JudgeQuestion] = []

    def close(self, criteria: str) -> None:
        """Note what was asked about some criteria: where a reply was kept, what was answered."""
        answered = [each for each in self._open if each.reply is not None]
        self.questions += [replace(each, of=criteria) for each in answered or self._open[:1]]
        self._open = []

    async def get(self, key: str) -> None:
        """Return nothing, so that the judge asks."""

    async def keep(self, key: str, text: str) -> None:
        """Keep nothing: it came from there."""

    async def __call__(self, request: ChatRequest, *, draw: int = 0) -> ChatReply:
        """Note the question and return the reply to it.

        Raises:
            ProviderError: it is not known; as of a server that does not take a format, so that the
                judge asks in the other ways in which it may have been asked.
        """
        del draw
        reply = await self._steps.get(reply_key(request))
        self._open.append(JudgeQuestion("", tuple(request.messages), reply))
        if reply is None:
            raise ProviderError(_NOT_KEPT, status=400)
        return ChatReply(reply, reused=True)


def _redacted(
    config: Config, operations: Operations, questions: Sequence[JudgeQuestion]
) -> list[JudgeQuestion]:
    names = {*config.policy.key_names, *config.policy.judge_keys}
    redact = Redactor(filter(None, map(operations.environment.get, names)))
    return [
        replace(
            each,
            messages=tuple((role, redact(text)) for role, text in each.messages),
            reply=None if each.reply is None else redact(each.reply),
        )
        for each in questions
    ]
