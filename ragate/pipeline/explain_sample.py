"""All that is known of one sample of a stored run, beside the baseline."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from ragate.baseline import load_contexts
from ragate.config import Config
from ragate.core.comparison.own_passes import deciding_run, earlier_passes, newest_run
from ragate.core.comparison.sample_matching import as_named_today
from ragate.core.conditions import fits
from ragate.core.diagnosis.sample_change import passed
from ragate.core.diagnosis.system_changes import writes_by_model
from ragate.core.scorecard.staged_run import staged
from ragate.core.symptoms.advice import advice_for
from ragate.core.symptoms.standing_faults import fault_of
from ragate.errors import UsageError
from ragate.models import Record, Run, Sample
from ragate.outputs.outputs_file import read_outputs
from ragate.pipeline.compare_stored import samples_of_run
from ragate.pipeline.decide.gate_setup import load_baseline_or_none
from ragate.renderers._samples import pass_words
from ragate.renderers.explain import JudgeQuestion, explain
from ragate.runtime.operations import Operations
from ragate.stores.local import LocalStore
from ragate.support.settings import nearest


def explain_sample(
    config: Config,
    store: LocalStore,
    folder: Path,
    sample_id: str,
    *,
    operations: Operations,
    ci: bool = True,
) -> str:
    """Return the text of `ragate report RUN --explain SAMPLE`.

    Raises:
        UsageError: the run has no such sample; names the nearest.
    """
    card = config.policy.scorecard
    run = staged(store.load(folder), card)
    samples = {sample.id: sample for sample in samples_of_run(config, run)}
    if sample_id not in samples:
        raise UsageError(f"no sample {sample_id!r} in this run{nearest(sample_id, list(samples))}")
    recorded = load_baseline_or_none(config)
    before: list[Record] = []
    if recorded is not None:
        today = as_named_today(recorded, run)
        before = _of(staged(today, card), sample_id)
    after = _with_texts(folder, _newest_first(run, sample_id))
    rows = {row.sample_id: row for row in store.load_report(folder).samples}
    told = explain(
        samples[sample_id],
        _with_contexts(config, before),
        after,
        row=rows.get(sample_id),
        ci=ci,
        slices=[part.name for part in config.policy.slices if fits(part, samples[sample_id])],
        marks=_marks(config, run, before, after),
        questions=_questions(config, operations, run, samples[sample_id], after),
    )
    system = run.manifest.system
    advice = advice_for(has_model=writes_by_model(system), keys=system.settings)
    fault = fault_of(_of(newest_run(run), sample_id), run.manifest.metrics, advice)
    return f"{told}\nAs it stands\n  {fault}\n" if fault else told


def _questions(
    config: Config, operations: Operations, run: Run, sample: Sample, after: Sequence[Record]
) -> list[JudgeQuestion]:
    if run.manifest.judge is None or not after:
        return []
    from ragate.pipeline.judge_questions import judge_questions

    return asyncio.run(judge_questions(config, operations, run, sample, after[0].output))


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


def _with_texts(folder: Path, records: list[Record]) -> list[Record]:
    """Put the full texts back where the run's own outputs file has them."""
    path = folder / "outputs.jsonl"
    if not path.is_file() or not records:
        return records
    sample_id = records[0].sample_id
    lines = {line.run or 0: line for _, line in read_outputs(path)[1] if line.id == sample_id}
    return [
        record.amended(output=lines[record.run].output()) if record.run in lines else record
        for record in records
    ]


def _with_contexts(config: Config, records: list[Record]) -> list[Record]:
    contexts = load_contexts(config.baseline)
    return [
        record.amended(
            output=record.output.amended(
                chunks=contexts.get(record.retrieval_hash, record.output.chunks)
            )
        )
        for record in records
    ]
