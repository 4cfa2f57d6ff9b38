"""What a page shows beyond its report: every sample's scores, and the texts of changed ones.

And what JSON tells of a run that was stored: every sample, asked and answered.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

from ragate.baseline import load_contexts
from ragate.config import Config
from ragate.core.comparison.run_passes import deciding_run
from ragate.core.comparison.sample_matching import as_named_today
from ragate.core.diagnosis.changed_samples import run_to_show
from ragate.core.diagnosis.run_pair import RunPair, pair_runs
from ragate.core.diagnosis.sample_change import fails
from ragate.core.diagnosis.sample_diff import SampleDiff, docs_of
from ragate.core.hashing import output_hash
from ragate.core.lookup import SampleTries, passes_of, samples_by_id
from ragate.errors import RagateError
from ragate.models import (
    AnsweredQuestion,
    EarlierOutcome,
    RankedDocument,
    Record,
    Report,
    RetrievedChunk,
    Run,
    RunDetails,
    Sample,
    SampleEvidence,
    SampleScores,
    SideEvidence,
    SystemOutput,
)
from ragate.pipeline.compare_stored import samples_of_run
from ragate.pipeline.decide.gate_setup import load_baseline_or_none
from ragate.pipeline.run.collected_outputs import line_mapping, read_collected
from ragate.runtime.output_spool import Outputs
from ragate.stores import OUTPUTS
from ragate.stores.listed_run import VERDICTS
from ragate.stores.local import LocalStore

MOST_WITH_TEXTS = 200
_EARLIER, _LOOKED_AT = 5, 50  # runs with what came of each sample, and all that are looked through
_MOVED = "the baseline was recorded again since this run was judged: scores and texts are left out"
_Contexts = Mapping[str, tuple[RetrievedChunk, ...]]


def with_details(
    report: Report,
    config: Config,
    store: LocalStore,
    folder: Path,
    *,
    outputs: Sequence[Path],
    run: Run | None = None,
) -> Report:
    """Return the report with what a page of it shows beside.

    Where the baseline is another than the run was judged against, or the run's files cannot be
    read any more, there is a note in their place: a page of the report alone says the verdict too.

    Args:
        folder: Of the run.
        outputs: Files that it was judged from; without any, its own.
        run: What the folder holds, where it is read already.
    """
    try:
        baseline = load_baseline_or_none(config)
        recorded = baseline.manifest.created if baseline is not None else ""
        if recorded != report.baseline_recorded:
            return report.amended(details=RunDetails(note=_MOVED))
        files = tuple(outputs) or tuple(folder.glob(OUTPUTS))
        details = run_details(report, config, run or store.load(folder), baseline, files)
        details = replace(details, evidence=_with_earlier(details.evidence, report, store))
    except RagateError as error:
        details = RunDetails(note=error.message)
    return report.amended(details=details)


def _with_earlier(
    evidence: Mapping[str, SampleEvidence], report: Report, store: LocalStore
) -> dict[str, SampleEvidence]:
    """Add what came of each sample in the newest runs of the gate that are older than this one."""
    found: dict[str, list[EarlierOutcome]] = {key: [] for key in evidence}
    newest = islice(store.listed() if evidence else (), _LOOKED_AT)
    decided = (run for run in newest if run.gate == report.gate and run.status in VERDICTS)
    for run in islice((run for run in decided if run.run_id < report.run_id), _EARLIER):
        try:
            outcomes = store.load_report(run.folder).outcomes
        except RagateError:  # a run of another ragate
            continue
        for outcome in outcomes:
            if outcome.sample_id in found:
                earlier = EarlierOutcome(run.created, run.commit, outcome)
                found[outcome.sample_id].append(earlier)
    return {key: replace(each, earlier=tuple(found[key])) for key, each in evidence.items()}


def run_details(
    report: Report, config: Config, run: Run, baseline: Run | None, outputs: Sequence[Path]
) -> RunDetails:
    """Return every sample's scores, and the texts of the report's first samples.

    Raises:
        RagateError: a file of the run, or beside the baseline, cannot be read.
    """
    metrics = tuple(row.metric for row in report.decision.metrics if not row.aggregate)
    samples, policy = samples_of_run(config, run), config.policy
    after = deciding_run(run)
    before = as_named_today(baseline, after) if baseline else None
    if policy.scorecard is not None:
        from ragate.core.scorecard import staged_runs

        before, after, _ = staged_runs(policy.scorecard, before, after)
    runs = pair_runs(before, after, None, rules=policy.rules, missing={})
    by_id = samples_by_id(samples)
    wanted = [row.sample_id for row in report.samples[:MOST_WITH_TEXTS]]
    changed = [by_id[key] for key in wanted if key in by_id and key in runs.candidate]
    texts = load_contexts(config.baseline) if baseline is not None else {}
    passes = (
        read_collected(outputs, changed, mapping=line_mapping(config)).passes if outputs else []
    )
    return RunDetails(
        metrics=metrics,
        samples=tuple(_scores(samples, runs, metrics, {row.sample_id for row in report.samples})),
        evidence=dict(_evidence(map(runs.diff, changed), texts, passes)),
    )


def with_questions(report: Report, config: Config, store: LocalStore, folder: Path) -> Report:
    """Return the report with every sample of the run; without, where the run cannot be read."""
    try:
        questions = tuple(asked_questions(config, store.load(folder), report))
    except RagateError:
        return report
    return report.amended(questions=questions)


def asked_questions(config: Config, run: Run, report: Report) -> Iterator[AnsweredQuestion]:
    """Yield every sample of every pass of a stored run, in the order of the passes."""
    run = deciding_run(run)
    samples = samples_by_id(samples_of_run(config, run))
    tries, infos = SampleTries(passes_of(run.records)), run.manifest.metrics
    passes = {each.sample_id: each.passes for each in report.outcomes}
    rules = [rule for rule in config.policy.rules if rule.level != "off"]
    for record in run.records:
        sample, output = samples[record.sample_id], record.output
        passed = passes.get(sample.id)
        if passed is None:
            passed = passes[sample.id] = not fails(tries[sample.id], rules, infos)
        yield AnsweredQuestion(
            sample_id=sample.id,
            run=record.run,
            query=sample.query,
            verdict="PASS" if passed else "FAIL",
            answer=output.answer,
            retrieved=tuple(
                RankedDocument(rank, doc_id, doc_id in sample.expected)
                for rank, doc_id in enumerate(docs_of(record), 1)
            ),
            scores=record.scores,
            latency_s=output.latency_s,
            error=output.error.message if output.error is not None else "",
        )


def _scores(
    samples: Sequence[Sample], runs: RunPair, metrics: Sequence[str], changed: Collection[str]
) -> Iterator[SampleScores]:
    """Yield the means of `metrics` of every sample that was run, in the order of the samples.

    A sample that the baseline does not hold, or holds with another content, has no values before.

    Args:
        changed: Ids of the samples whose hashes are wanted.
    """
    for sample in samples:
        if sample.id not in runs.candidate:
            continue
        diff = runs.diff(sample)
        before, after = diff.means
        yield SampleScores(
            sample_id=sample.id,
            query=sample.query,
            tags=sample.tags,
            before=tuple(before.get(name) for name in metrics),
            after=tuple(after.get(name) for name in metrics),
            hashes=_hashes(diff) if sample.id in changed else (),
        )


def _hashes(diff: SampleDiff) -> tuple[str, ...]:
    """Return what a label of the outputs that are shown is about, () where one side has none."""
    if not diff.before:
        return ()
    shown = run_to_show(diff)
    return (shown.content_hash, diff.before[0].output_hash, shown.output_hash)


def _evidence(
    diffs: Iterable[SampleDiff], contexts: _Contexts, passes: Sequence[Outputs]
) -> Iterator[tuple[str, SampleEvidence]]:
    for diff in diffs:
        after = run_to_show(diff)
        output = _collected(after, passes)
        evidence = SampleEvidence(
            before=_of_baseline(diff.before[0], contexts) if diff.before else SideEvidence(),
            after=_side(output or after.output, output.chunks if output else None),
        )
        yield after.sample_id, evidence


def _collected(record: Record, passes: Sequence[Outputs]) -> SystemOutput | None:
    """Return the output with its texts that a record is of; None where no pass holds it."""
    outputs = (each[record.sample_id] for each in passes if record.sample_id in each)
    return next((each for each in outputs if output_hash(each) == record.output_hash), None)


def _of_baseline(record: Record, contexts: _Contexts) -> SideEvidence:
    return _side(record.output, contexts.get(record.retrieval_hash))


def _side(output: SystemOutput, chunks: tuple[RetrievedChunk, ...] | None) -> SideEvidence:
    return SideEvidence(chunks=chunks, usage=output.usage, latency_s=output.latency_s)
