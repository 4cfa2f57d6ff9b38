"""What `check` would stop at or be misled by: every part is looked at, whatever the others say."""

from __future__ import annotations

import datetime
import os
import platform
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ragate import plugins
from ragate.baseline import load_baseline
from ragate.cli import one_question
from ragate.cli.doctor.examined_config import ExaminedProject, read_subject
from ragate.cli.doctor.under_test import KEYS, UNREAD, database, keys, system
from ragate.cli.finding import Finding, guarded, of_error, ok, plural, problem, skipped, warning
from ragate.cli.init.action_workflows import RELEASES
from ragate.cli.operations import exposed_dotenv
from ragate.cli.workflows import PLACEHOLDER, gates_of, workflow_texts
from ragate.config import Config
from ragate.core.comparison.compare import problem_of
from ragate.core.comparison.sample_matching import ENOUGH, match
from ragate.core.lookup import samples_by_id
from ragate.core.text.wording import listed
from ragate.dataset import Entry, asked, read_entries
from ragate.models import MetricInfo, Rule, Run, RunManifest, Sample
from ragate.pipeline.decide.gate_setup import refuse_empty_slices, refuse_expired_waivers
from ragate.pipeline.score.policy_metrics import applicable, make_metrics
from ragate.process import NO_DECISION
from ragate.stores.postgres import reach_store
from ragate.support import git
from ragate.version import MANUAL, REPOSITORY, __version__

if TYPE_CHECKING:
    from ragate.queue.health import QueueFacts
    from ragate.runtime.operations import Operations


QUEUE = "queue"
WORKFLOWS = "workflows"
_GROUP_OF_ALL = re.compile(r"^concurrency:", re.MULTILINE)
_COMMANDS = re.compile(r"^\s*mode:\s*[\"']?command\b", re.MULTILINE)


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
    if config is None:
        findings += [skipped("rules", UNREAD)]
    else:
        findings += _policy(config, samples, today)
    findings += guarded("system", lambda: system(subject, samples))
    if config is not None:
        findings += guarded(KEYS, lambda: keys(config, operations.environment))
    findings += guarded("environment", lambda: _dotenv(subject.root))
    findings += guarded("database", lambda: database(subject))
    findings += guarded(BASELINE, lambda: _baseline(subject, runs))
    if runs and samples:
        findings += guarded(BASELINE, lambda: _compared(subject, runs[0], samples))
    findings += guarded(
        one_question.CHECK,
        lambda: one_question.one_question(config, operations, samples, wanted=ask),
    )
    findings += guarded("state folder", lambda: [_state(subject)])
    findings += guarded("run store", lambda: _run_store(operations.runs_url))
    findings += guarded(QUEUE, lambda: queue(operations))
    return findings + guarded(WORKFLOWS, lambda: workflows(subject.root))


def _golden(subject: ExaminedProject, samples: list[Sample]) -> Iterable[Finding]:
    if subject.dataset is None:
        return [skipped(GOLDEN, UNREAD)]
    entries = read_entries(subject.dataset)
    samples += asked(entries, path=subject.dataset)
    return golden_set(entries, samples, dataset=_shown(subject, subject.dataset))


def _policy(config: Config, samples: Sequence[Sample], today: datetime.date) -> list[Finding]:
    findings = guarded("waivers", lambda: refuse_expired_waivers(config, today))
    if samples:
        findings += guarded("rules", lambda: _rules(config, samples))
        findings += guarded("slices", lambda: refuse_empty_slices(config, samples))
    return findings


def _rules(config: Config, samples: Sequence[Sample]) -> Iterable[Finding]:
    # Foreign metrics are not run.
    uses = {
        rule.metric: applicable(
            plugins.metric(
                rule.metric, settings=config.metric_settings.get(rule.metric), samples=samples
            ),
            samples,
        )
        for rule in config.policy.metrics
        if plugins.is_builtin_metric(rule.metric)
    }
    gated = config.policy.gated
    return rules(config.policy.metrics, uses, samples, on_slices=gated)


def _dotenv(root: Path) -> Iterable[Finding]:
    exposed = exposed_dotenv(root)
    return [] if exposed is None else [warning("environment", *exposed)]


def _baseline(subject: ExaminedProject, runs: list[Run]) -> Iterable[Finding]:
    path = subject.baseline
    if path is None:
        return [skipped(BASELINE, UNREAD)]
    run = load_baseline(path)
    runs.append(run)
    name = _shown(subject, path)
    top = git.repository(subject.root)
    tracked = git.is_tracked(top, path) if top else None
    ignored = git.is_ignored(top, path) if top else None
    return [
        origin(run, path=name),
        *committed(name, tracked=tracked, ignored=ignored),
    ]


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


def _run_store(url: str) -> Iterable[Finding]:
    reach_store(url)
    return [ok("run store", "reachable, and of this ragate")] if url else []


def _shown(subject: ExaminedProject, path: Path) -> str:
    """Return a path below the project's root, or all of it."""
    real = path.resolve()
    if real.is_relative_to(subject.root):
        return real.relative_to(subject.root).as_posix()
    return str(real)


# The workflows that run the action: what is left to fill in, and what an older manual showed.


def workflows(root: Path) -> list[Finding]:
    """Say what of the workflows in the repository of `root` keeps the action from its work."""
    top = git.repository(root) or root
    using = ((path, text) for path, text in workflow_texts(top) if f"{REPOSITORY}@" in text)
    texts = {path.relative_to(top).as_posix(): text for path, text in using}
    findings: list[Finding] = []
    if waiting := [name for name, text in texts.items() if f"{REPOSITORY}@{PLACEHOLDER}" in text]:
        message = f"no release of the action is named in {', '.join(waiting)}: zeros stand for it"
        findings.append(warning(WORKFLOWS, message, f"put the commit there: {RELEASES}"))
    for name, text in texts.items():
        if _COMMANDS.search(text) and _GROUP_OF_ALL.search(text):
            message = (
                f"in {name} the concurrency group is the whole workflow's: any comment joins it"
            )
            findings.append(
                warning(
                    WORKFLOWS,
                    message,
                    f"put it on the job, behind its `if`: {MANUAL}/forks.md",
                )
            )
    findings += _of_one_name(texts)
    return findings or [ok(WORKFLOWS, f"{plural(len(texts), 'workflow')} with the action")]


def _of_one_name(texts: Mapping[str, str]) -> Iterator[Finding]:
    """Yield gates of one name in several folders: each would overwrite the other's status."""
    folders: dict[str, set[str]] = defaultdict(set)
    for gate in (gate for text in texts.values() for gate in gates_of(text) if gate.in_checkout):
        folders[gate.name].add(f"{gate.folder}/{gate.config}")
    for name, named in folders.items():
        if name and len(named) > 1:
            yield problem(
                WORKFLOWS,
                f"two gates are named {name}: {', '.join(sorted(named))}; each would overwrite the "
                "other's status and comment",
                "give one of them another `gate` in each of its workflows",
            )


# What the doctor says of the queue, where there is one.


def queue(operations: Operations) -> Iterable[Finding]:
    """Say whether runs can be submitted to the queue, or served from it, with this role.

    Raises:
        RagateError: the extra is not installed, or the queue cannot be used.
    """
    from ragate.queue.health import inspect_queue
    from ragate.queue.schema import VARIABLE, require_engine
    from ragate.queue.serving_role import VARIABLE as ROLE
    from ragate.queue.serving_role import chosen_role

    url = operations.environment.get(VARIABLE, "")
    if not url:
        return []
    require_engine()
    facts = inspect_queue(url)
    if facts.may_submit:
        chosen_role(facts.serving, operations.environment.get(ROLE, ""))
    return [_server(facts) if not facts.made else _role(facts)]


def _server(facts: QueueFacts) -> Finding:
    """Say whether the schemas can be made, which are not there."""
    from ragate.queue.health import LEAST_POSTGRES

    server = f"PostgreSQL {facts.postgres}"
    if facts.major < LEAST_POSTGRES:
        newer = f"use PostgreSQL {LEAST_POSTGRES} or newer"
        return problem(QUEUE, f"{server} is too old", newer, exit_code=NO_DECISION)
    if facts.may_make:
        return ok(QUEUE, f"{server}; the first run with --workers makes the schemas")
    return problem(
        QUEUE,
        f"{server}; the schemas are not there, and the role {facts.role!r} may not make any",
        "`ragate db migrate`, with a role that may create schemas",
        exit_code=NO_DECISION,
    )


def _role(facts: QueueFacts) -> Finding:
    rights = {"submit": facts.may_submit, "serve": facts.may_work}
    may = " and ".join(name for name, has in rights.items() if has)
    if not may:
        return problem(
            QUEUE,
            f"the role {facts.role!r} may neither submit runs nor serve them",
            f"`ragate db roles --worker {facts.role} --apply`, or --submitter, as their owner",
            exit_code=NO_DECISION,
        )
    up = f"{plural(facts.up, 'worker')} up, of any checkout"
    return ok(QUEUE, f"PostgreSQL {facts.postgres}; the role {facts.role!r} may {may} runs; {up}")


# The golden set: what it holds, and whether the rules can be held on it.


GOLDEN = "golden set"


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


def rules(
    policy_rules: Sequence[Rule],
    uses: Mapping[str, Sequence[Sample]],
    samples: Sequence[Sample],
    *,
    on_slices: Collection[str] = (),
) -> list[Finding]:
    """Say whether every rule can be held, and must-pass samples have a mark to reach.

    Args:
        uses: The samples that each built-in metric can speak about, by metric.
        on_slices: Metrics that can fail the gate on a slice.
    """
    check = "rules"
    gated = [rule for rule in policy_rules if rule.gates]
    names = {rule.metric for rule in gated}.union(on_slices)
    if not names:
        return [
            problem(
                check,
                'no metric has level = "error": the gate can never fail',
                'set level = "error" on what must not get worse',
            )
        ]
    findings = [
        problem(
            check,
            f"{rule.metric} must be measured, and no sample has what it needs",
            'add such samples, or set its level to "warn" or "off"; as it is, `check` ends '
            "without a decision",
            exit_code=NO_DECISION,
        )
        for rule in gated
        if uses.get(rule.metric) == []
    ]
    findings += _must_pass(gated, uses, samples)
    return findings or [ok(check, f"{plural(len(names), 'metric')} can fail the gate")]


def _must_pass(
    gated: Sequence[Rule], uses: Mapping[str, Sequence[Sample]], samples: Sequence[Sample]
) -> Iterable[Finding]:
    check = "must-pass"
    must = [sample.id for sample in samples if sample.must_pass]
    marked = [rule.metric for rule in gated if rule.pass_at is not None]
    if must and not marked:
        yield problem(
            check,
            f"{plural(len(must), 'must-pass sample')}, and no metric of level error has a pass "
            "mark: none of them can fail",
            'set pass_at for a metric, such as pass_at = 1.0 in [policy.metrics."hit_rate@5"]',
        )
    elif must and all(name in uses for name in marked):
        reached = {sample.id for name in marked for sample in uses[name]}
        if free := [sample_id for sample_id in must if sample_id not in reached]:
            yield warning(
                check,
                f"no metric with a pass mark applies to {listed(free)}",
                "give them what the metric needs (an expected document, a reference), or set "
                "pass_at on a metric that applies to them",
            )


# The baseline: whether `check` can compare with it, by the code that `check` asks.


BASELINE = "baseline"
_AGAIN = "record the baseline anew: `ragate baseline update`, and commit the file"


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


def committed(path: str, *, tracked: bool | None, ignored: bool | None) -> Iterable[Finding]:
    """Say whether other machines get the baseline; None where there is no repository."""
    if tracked is not False:
        return
    if ignored:
        yield problem(
            BASELINE,
            f"git ignores {path}, so no other machine ever sees it",
            "take the pattern out of .gitignore, and commit the file",
        )
    else:
        yield warning(
            BASELINE,
            f"{path} is not committed: on any other machine there is no baseline",
            f"git add {path}, and commit it",
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
    problems = [told for name in names if (told := problem_of(name, run, today)[0])]
    if problems:
        lost = f"{listed(problems)}: `check` ends without a decision"
        yield problem(BASELINE, lost, _AGAIN, exit_code=NO_DECISION)
    else:
        yield ok(BASELINE, f"{plural(len(names), 'metric')} comparable")


def _today(run: Run, infos: Mapping[str, MetricInfo]) -> Run:
    """Return a run without outputs that measures what is configured today."""
    before = run.manifest
    return Run(manifest=RunManifest(system=before.system, judge=before.judge, metrics=dict(infos)))
