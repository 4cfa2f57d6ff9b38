"""What `check` would stop at or be misled by: every part is looked at, whatever the others say."""

from __future__ import annotations

import datetime
import os
import platform
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ragate import plugins
from ragate.baseline import load_baseline
from ragate.cli import one_question
from ragate.cli.doctor import baseline_file, golden_set
from ragate.cli.doctor.examined_config import ExaminedProject, read_subject
from ragate.cli.doctor.under_test import KEYS, UNREAD, database, keys, system
from ragate.cli.finding import Finding, guarded, of_error, ok, plural, problem, skipped, warning
from ragate.cli.init.action_workflows import RELEASES
from ragate.cli.operations import exposed_dotenv
from ragate.cli.workflows import PLACEHOLDER, gates_of, workflow_texts
from ragate.config import Config
from ragate.dataset import asked, read_entries
from ragate.models import Run, Sample
from ragate.pipeline.decide.gate_setup import refuse_empty_slices, refuse_expired_waivers
from ragate.pipeline.score.policy_metrics import applicable, make_metrics
from ragate.process import NO_DECISION
from ragate.stores.postgres.open_store import reach_store
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
    findings += guarded(golden_set.CHECK, lambda: _golden(subject, samples))
    if config is None:
        findings += [skipped("rules", UNREAD)]
    else:
        findings += _policy(config, samples, today)
    findings += guarded("system", lambda: system(subject, samples))
    if config is not None:
        findings += guarded(KEYS, lambda: keys(config, operations.environment))
    findings += guarded("environment", lambda: _dotenv(subject.root))
    findings += guarded("database", lambda: database(subject))
    findings += guarded(baseline_file.CHECK, lambda: _baseline(subject, runs))
    if runs and samples:
        findings += guarded(baseline_file.CHECK, lambda: _compared(subject, runs[0], samples))
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
        return [skipped(golden_set.CHECK, UNREAD)]
    entries = read_entries(subject.dataset)
    samples += asked(entries, path=subject.dataset)
    return golden_set.golden_set(entries, samples, dataset=_shown(subject, subject.dataset))


def _policy(config: Config, samples: Sequence[Sample], today: datetime.date) -> list[Finding]:
    findings = guarded("waivers", lambda: _waivers(config, today))
    if samples:
        findings += guarded("rules", lambda: _rules(config, samples))
        findings += guarded("slices", lambda: _slices(config, samples))
    return findings


def _waivers(config: Config, today: datetime.date) -> Iterable[Finding]:
    refuse_expired_waivers(config, today)
    return []


def _slices(config: Config, samples: Sequence[Sample]) -> Iterable[Finding]:
    refuse_empty_slices(config, samples)
    return []


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
        if plugins.is_builtin("metrics", plugins.split_metric(rule.metric)[0])
    }
    gated = config.policy.gated
    return golden_set.rules(config.policy.metrics, uses, samples, on_slices=gated)


def _dotenv(root: Path) -> Iterable[Finding]:
    exposed = exposed_dotenv(root)
    return [] if exposed is None else [warning("environment", *exposed)]


def _baseline(subject: ExaminedProject, runs: list[Run]) -> Iterable[Finding]:
    path = subject.baseline
    if path is None:
        return [skipped(baseline_file.CHECK, UNREAD)]
    run = load_baseline(path)
    runs.append(run)
    name = _shown(subject, path)
    top = git.repository(subject.root)
    tracked = git.is_tracked(top, path) if top else None
    ignored = git.is_ignored(top, path) if top else None
    return [
        baseline_file.origin(run, path=name),
        *baseline_file.committed(name, tracked=tracked, ignored=ignored),
    ]


def _compared(subject: ExaminedProject, run: Run, samples: list[Sample]) -> Iterable[Finding]:
    yield baseline_file.matched(run, samples)
    config = subject.config
    if config is not None:
        metrics = make_metrics(config, samples, states=run.manifest.states)
        infos = {metric.info.name: metric.info for metric in metrics}
        yield from baseline_file.comparable(run, infos, sorted(config.policy.gated))


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
