"""What `check` would stop at: it loads the same, each part whatever the others say."""

from __future__ import annotations

import datetime
import os
import platform
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from ragate.baseline import load_baseline
from ragate.cli import one_question
from ragate.cli.doctor.examined_config import ExaminedProject, read_subject
from ragate.cli.doctor.under_test import KEYS, UNREAD, database, keys, system
from ragate.cli.finding import Finding, guarded, of_error, ok, plural, problem, skipped, warning
from ragate.config import Config
from ragate.core.comparison.compare import has_risen, problem_of
from ragate.core.comparison.sample_matching import ENOUGH, match
from ragate.core.lookup import samples_by_id
from ragate.core.text.wording import listed
from ragate.dataset import Entry, asked, read_entries
from ragate.gate.gate_setup import refuse_empty_slices, refuse_expired_waivers
from ragate.gate.unread_labels import unread_labels
from ragate.models import MetricInfo, Run, RunManifest, Sample
from ragate.process import NO_DECISION
from ragate.resources.operations import Operations
from ragate.scoring.policy_metrics import make_metrics
from ragate.stores.local import reach_store
from ragate.version import __version__


def examine(
    start: Path,
    path: Path | None,
    environment: Mapping[str, str],
    *,
    today: datetime.date,
    ask: bool = False,
) -> list[Finding]:
    """Return the findings of every check, in the order of docs/init.md.

    Args:
        start: Where the search for ragate.toml begins. path: Where one is named.
        ask: The system is asked one question.
    """
    subject = read_subject(start, path, environment)
    config, operations = subject.config, subject.operations
    samples: list[Sample] = []
    runs: list[Run] = []
    python = f"Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    findings = [ok("ragate", f"{__version__}, {python}")]
    findings += [of_error(check, error) for check, error in subject.errors]
    findings += guarded(GOLDEN, lambda: _golden(subject, samples))
    if config is not None:
        findings += _policy(config, samples, today)
    findings += guarded("system", lambda: system(subject, samples))
    if config is not None:
        findings += guarded(KEYS, lambda: keys(config, operations.environment))
    findings += guarded("database", lambda: database(subject))
    findings += guarded(BASELINE, lambda: _baseline(subject, runs))
    if runs and samples:
        findings += guarded(BASELINE, lambda: _compared(subject, runs[0], samples))
    findings += guarded(
        one_question.CHECK,
        lambda: one_question.one_question(config, operations, samples, wanted=ask),
    )
    findings += guarded("state folder", lambda: [_state(subject)])
    return findings + guarded("run store", lambda: _run_store(operations))


def _golden(subject: ExaminedProject, samples: list[Sample]) -> Iterable[Finding]:
    if subject.dataset is None:
        return _scored(subject.config, samples)
    entries = read_entries(subject.dataset)
    samples += asked(entries, path=subject.dataset)
    return golden_set(entries, samples, dataset=_shown(subject, subject.dataset))


def _scored(config: Config | None, samples: list[Sample]) -> Iterable[Finding]:
    """Say which samples the files of scores tell of, where there is no golden set."""
    if config is None or config.policy.dataset:
        return [skipped(GOLDEN, UNREAD)]
    from ragate.answers.golden_set import golden_set as scored_samples

    samples += scored_samples(config)
    return [ok(GOLDEN, f"none: {plural(len(samples), 'sample')} in the files of scores")]


def _policy(config: Config, samples: Sequence[Sample], today: datetime.date) -> list[Finding]:
    findings = guarded("waivers", lambda: refuse_expired_waivers(config, today))
    if samples:
        findings += guarded("slices", lambda: refuse_empty_slices(config, samples))
    measured = [rule.metric for rule in config.policy.metrics if rule.level != "off"]
    told = unread_labels(samples, measured)
    return [*findings, *(warning(GOLDEN, one, _MEASURE) for one in told)]


def _baseline(subject: ExaminedProject, runs: list[Run]) -> Iterable[Finding]:
    path = subject.baseline
    if path is None:
        return [skipped(BASELINE, UNREAD)]
    run = load_baseline(path)
    runs.append(run)
    return [origin(run, path=_shown(subject, path))]


def _compared(subject: ExaminedProject, run: Run, samples: list[Sample]) -> Iterable[Finding]:
    yield matched(run, samples)
    config = subject.config
    if config is not None:
        metrics = make_metrics(config, samples, states=run.manifest.states)
        infos = {metric.info.name: metric.info for metric in metrics}
        yield from comparable(run, infos, sorted(config.policy.gated))


def _state(subject: ExaminedProject) -> Finding:
    folder = subject.operations.state
    nearest = next(above for above in (folder, *folder.parents) if above.exists())
    if nearest.is_dir() and os.access(nearest, os.W_OK | os.X_OK):
        return ok("state folder", f"{_shown(subject, folder)}: writable")
    return problem(
        "state folder",
        f"{_shown(subject, folder)} cannot be written",
        "make it writable for this user, or set RAGATE_STATE_DIR to a folder that is",
        exit_code=NO_DECISION,
    )


def _run_store(operations: Operations) -> Iterable[Finding]:
    if operations.runs_url:
        seen = reach_store(operations)
        yield ok("run store", seen) if seen else skipped("run store", "it says nothing of itself")


def _shown(subject: ExaminedProject, path: Path) -> str:
    """Return a path below the project's root, or all of it."""
    real = path.resolve()
    if real.is_relative_to(subject.root):
        return real.relative_to(subject.root).as_posix()
    return str(real)


# The golden set: what it holds.


GOLDEN = "golden set"
_MEASURE = "name it under [policy.metrics], then `ragate baseline update`"


def golden_set(
    entries: Sequence[Entry], samples: Sequence[Sample], *, dataset: str
) -> Iterable[Finding]:
    """Say what the golden set holds; drafts wait for a person and count for nothing."""
    unjudged = sum(sample.answerable and not sample.expected for sample in samples)
    bare = sum(sample.answerable and not sample.references for sample in samples)
    unanswerable = sum(not sample.answerable for sample in samples)
    must = sum(sample.must_pass for sample in samples)
    yield ok(
        GOLDEN,
        f"{dataset}: {plural(len(samples), 'sample')}, {unanswerable} unanswerable, {must} "
        f"must-pass; of the answerable ones {unjudged} unjudged (no expected document), {bare} "
        "without a reference",
    )
    drafts = sum(entry.draft for entry in entries)
    references = sum(len(entry.drafted) for entry in entries)
    if drafts or references:
        yield ok(
            GOLDEN,
            f"{plural(drafts, 'draft sample')} and {plural(references, 'draft reference')} do not "
            "count; `ragate dataset accept` shows them",
        )


# The baseline: whether `check` can compare with it, by the code that `check` asks.


BASELINE = "baseline"
_AGAIN = "record the baseline anew: `ragate baseline update`, and commit the file"
_RESCORED = "`ragate baseline rejudge` scores what it holds, `ragate baseline update` all of it"


def origin(run: Run, *, path: str) -> Finding:
    """Say where the baseline comes from."""
    manifest = run.manifest
    samples = len({record.sample_id for record in run.records})
    commit = f", commit {manifest.commit[:7]}" if manifest.commit else ""
    return ok(
        BASELINE,
        f"{path}: {plural(samples, 'sample')}, {plural(manifest.runs, 'run')} "
        f"({manifest.identical} identical to another), recorded {manifest.created}{commit}",
    )


def matched(run: Run, samples: Sequence[Sample]) -> Finding:
    """Say whether enough samples of the golden set are the ones that the baseline knows."""
    matching = match(run, _today(run, {}), samples_by_id(samples), partial=False)
    data = matching.data
    counts = (
        f"{data.matched} of {data.selected} recorded samples are in the golden set as they were "
        f"({len(data.edited)} edited, {len(data.gone)} removed, "
        f"{len(data.new)} new)"
    )
    if matching.enough:
        return ok(BASELINE, counts)
    return problem(
        BASELINE, f"{counts}; below {ENOUGH:.0%} nothing is compared", _AGAIN, exit_code=NO_DECISION
    )


def comparable(
    run: Run, infos: Mapping[str, MetricInfo], gated: Sequence[str]
) -> Iterable[Finding]:
    """Say which metrics that can fail the gate the baseline does not hold as they are now.

    Args:
        infos: Today's metrics by name, those of level ``off`` left out.
        gated: Names of the metrics that can fail the gate.
    """
    today = _today(run, infos)
    # Seconds differ between machines, so that a baseline never holds them.
    names = [name for name in gated if name in infos and infos[name].unit != "seconds"]
    risen = [name for name in names if has_risen(name, run, today)]
    others = [name for name in names if name not in risen]
    problems = [told for name in others if (told := problem_of(name, run, today)[0])]
    if risen:
        aged = f"{listed(risen)}: an older ragate wrote the baseline; `check` leaves out"
        yield warning(BASELINE, aged, _RESCORED)
    if problems:
        lost = f"{listed(problems)}: `check` ends without a decision"
        yield problem(BASELINE, lost, _AGAIN, exit_code=NO_DECISION)
    elif others:
        yield ok(BASELINE, f"{plural(len(others), 'metric')} comparable")


def _today(run: Run, infos: Mapping[str, MetricInfo]) -> Run:
    """Return a run without outputs that measures what is configured today."""
    before = run.manifest
    return Run(manifest=RunManifest(system=before.system, judge=before.judge, metrics=dict(infos)))
