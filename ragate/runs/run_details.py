"""What a page shows beyond its report: every sample's scores, and the texts of changed ones.

And what JSON tells of a run that was stored: every sample, asked and answered.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

from ragate.answers.collected_outputs import line_mapping, read_collected
from ragate.answers.output_spool import Outputs
from ragate.baseline import load_contexts
from ragate.config import Config
from ragate.core.comparison.run_passes import deciding_run
from ragate.core.comparison.sample_matching import as_named_today
from ragate.core.diagnosis.changed_samples import run_to_show
from ragate.core.diagnosis.run_pair import RunPair, pair_runs
from ragate.core.diagnosis.sample_change import fails, passed
from ragate.core.diagnosis.sample_diff import SampleDiff, docs_of
from ragate.core.hashing import output_hash
from ragate.core.lookup import LazyRows, SampleTries, passes_of, samples_by_id
from ragate.core.text.words import markers
from ragate.errors import RagateError
from ragate.gate.gate_setup import load_baseline_or_none
from ragate.models import (
    AnsweredQuestion,
    CitedPassage,
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
from ragate.runs.compare_stored import samples_of_run
from ragate.stores import OUTPUTS
from ragate.stores.listed_run import VERDICTS
from ragate.stores.local import LocalStore

MOST_WITH_TEXTS = 200
_EARLIER, _LOOKED_AT = 5, 50  # runs with what came of each sample, and all that are looked through
_MOVED = "the baseline was recorded again since this run was judged: scores and texts are left out"
_Contexts = Mapping[str, tuple[RetrievedChunk, ...]]


@dataclass(frozen=True)
class ReadRun:
    """A run with what it was asked and compared with, in memory."""

    run: Run
    samples: Sequence[Sample]
    baseline: Run | None


def read_run(config: Config, store: LocalStore, folder: Path, *, run: Run | None = None) -> ReadRun:
    """Read a stored run back, with today's golden set and baseline.

    Args:
        run: What the folder holds, where it is read already.

    Raises:
        RagateError: a file of the run, or the baseline, cannot be read.
    """
    baseline = load_baseline_or_none(config)
    run = run or store.load(folder)
    return ReadRun(run, samples_of_run(config, run), baseline)


def with_details(
    report: Report,
    config: Config,
    store: LocalStore,
    folder: Path,
    *,
    outputs: Sequence[Path],
    run: Run | None = None,
    read: ReadRun | None = None,
) -> Report:
    """Return the report with what a page of it shows beside.

    Where the baseline is another than the run was judged against, or the run's files cannot be
    read any more, there is a note in their place: a page of the report alone says the verdict too.

    Args:
        folder: Of the run.
        outputs: Files that it was judged from; without any, its own.
        run, read: What the folder holds, where it is read already.
    """
    try:
        read = read or read_run(config, store, folder, run=run)
        recorded = read.baseline.manifest.created if read.baseline is not None else ""
        if recorded != report.baseline_recorded:
            return report.amended(details=RunDetails(note=_MOVED))
        files = tuple(outputs) or tuple(folder.glob(OUTPUTS))
        details = run_details(report, config, read, files)
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
    report: Report, config: Config, read: ReadRun, outputs: Sequence[Path]
) -> RunDetails:
    """Return every sample's scores, and the texts of the report's first samples.

    Raises:
        RagateError: a file of the run, or beside the baseline, cannot be read.
    """
    metrics = tuple(row.metric for row in report.decision.metrics if not row.aggregate)
    samples, policy, baseline = read.samples, config.policy, read.baseline
    after = deciding_run(read.run)
    before = as_named_today(baseline, after) if baseline else None
    if policy.scorecard is not None:
        from ragate.core.decision.scorecard import staged_runs

        before, after = staged_runs(policy.scorecard, before, after)
    runs = pair_runs(before, after, rules=policy.rules, missing={})
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


class AnsweredQuestions(LazyRows[AnsweredQuestion]):
    """Every sample of every pass of a run, in the order of the passes; made when looked at."""

    def __init__(
        self, config: Config, read: ReadRun, report: Report, passes: Sequence[Outputs] = ()
    ) -> None:
        self._outputs = passes
        run = deciding_run(read.run)
        self._records = run.records
        self._samples = samples_by_id(read.samples)
        self._tries, self._infos = SampleTries(passes_of(run.records)), run.manifest.metrics
        self._passes = {each.sample_id: each.passes for each in report.outcomes}
        self._rules = [rule for rule in config.policy.rules if rule.level != "off"]

    def __len__(self) -> int:
        return len(self._records)

    def row(self, number: int) -> AnsweredQuestion:
        record = self._records[number]
        sample, output = self._samples[record.sample_id], record.output
        passes = self._passes.get(sample.id)
        if passes is None:
            tries = self._tries[sample.id]
            passes = self._passes[sample.id] = not fails(tries, self._rules, self._infos)
        return AnsweredQuestion(
            sample_id=sample.id,
            run=record.run,
            query=sample.query,
            verdict="PASS" if passes else "FAIL",
            answer=output.answer,
            retrieved=tuple(
                RankedDocument(rank, doc_id, doc_id in sample.expected)
                for rank, doc_id in enumerate(docs_of(record), 1)
            ),
            scores=record.scores,
            latency_s=output.latency_s,
            error=output.error.message if output.error is not None else "",
            passing=self._passing(record),
            citations=_cited(_collected(record, self._outputs) or output),
        )

    def _passing(self, record: Record) -> dict[str, bool]:
        """Return whether each score reaches its metric's pass mark, where it has one."""
        known = self._infos.keys() & record.scores.keys()
        marked = [rule for rule in self._rules if rule.metric in known]
        told = {rule.metric: passed([record], rule, self._infos[rule.metric]) for rule in marked}
        return {name: reached for name, reached in told.items() if reached is not None}


def _cited(output: SystemOutput) -> tuple[CitedPassage, ...]:
    """Return the passages that an answer's numbers name, in the order of their first mention."""
    numbers = dict.fromkeys(markers(output.answer or ""))
    cited = [number for number in numbers if 1 <= number <= len(output.chunks)]
    chunks = [(number, output.chunks[number - 1]) for number in cited]
    return tuple(CitedPassage(number, each.doc_id, each.metadata) for number, each in chunks)


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
