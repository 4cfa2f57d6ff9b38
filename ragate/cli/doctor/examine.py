"""The doctor's round: reads files, asks git and the database, and hands the facts to the checks."""

from __future__ import annotations

import datetime
import os
import platform
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import cast

from ragate import __version__, plugins
from ragate.baseline import load_baseline, load_contexts
from ragate.cli.doctor import baseline_file, golden_set, policy, state_folder
from ragate.cli.doctor.examined_config import ExaminedProject, read_subject
from ragate.cli.doctor.under_test import database, system
from ragate.cli.doctor.workflows import CHECK as CHECK_WORKFLOWS
from ragate.cli.doctor.workflows import workflows
from ragate.cli.finding import Finding, guarded, of_error, ok, skipped
from ragate.config import Config
from ragate.dataset import asked, read_entries
from ragate.models import Run, Sample
from ragate.pipeline.decide.drill_proof import last_proof
from ragate.pipeline.score.policy_metrics import make_metrics
from ragate.recorder.open_system import is_recorded_system
from ragate.recorder.run_resolver import provider_of
from ragate.support import git

UNREAD = "ragate.toml cannot be read"


def examine(
    start: Path, given: Path | None, environment: Mapping[str, str], *, today: datetime.date
) -> list[Finding]:
    """Return the findings of every check, in the order of docs/doctor.md.

    Args:
        start: Where the search for ragate.toml begins. given: Its path, where one is named.
    """
    subject = read_subject(start, given, environment)
    samples: list[Sample] = []
    runs: list[Run] = []
    uses: dict[str, list[Sample]] = {}
    python = f"Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    found = [ok("ragate", f"{__version__}, {python}")]
    found += [of_error(check, error) for check, error in subject.errors]
    if subject.config is not None:
        found += policy.configuration(subject.config)
    found += guarded(golden_set.CHECK, lambda: _golden(subject, samples))
    found += guarded("rules", lambda: _rules(subject, samples, uses, today))
    found += guarded("system", lambda: system(subject, samples))
    found += guarded("keys", lambda: _keys(subject))
    found += guarded("database", lambda: database(subject))
    found += guarded(baseline_file.CHECK, lambda: _baseline(subject, runs))
    if runs and samples:
        found += guarded(baseline_file.CHECK, lambda: baseline_file.matched(runs[0], samples))
    if runs and samples and subject.config is not None:
        found += guarded(baseline_file.CHECK, lambda: _comparable(subject, runs[0], samples, uses))
    if runs:
        found += guarded("personal data", lambda: _personal(subject, runs[0]))
        found += guarded("drill", lambda: policy.proof(last_proof(subject.operations)))
    found += guarded("state folder", lambda: _state(subject))
    return found + guarded(CHECK_WORKFLOWS, lambda: workflows(subject.root))


def _golden(subject: ExaminedProject, samples: list[Sample]) -> Iterable[Finding]:
    if subject.dataset is None:
        return [skipped(golden_set.CHECK, UNREAD)]
    entries = read_entries(subject.dataset)
    samples += asked(entries, path=subject.dataset)
    found = golden_set.golden_set(samples, dataset=_name(subject, subject.dataset))
    return [*found, *golden_set.drafts(entries)]


def _rules(
    subject: ExaminedProject,
    samples: Sequence[Sample],
    uses: dict[str, list[Sample]],
    today: datetime.date,
) -> Iterable[Finding]:
    config = subject.config
    if config is None:
        return [skipped("rules", UNREAD)]
    found = []
    if samples:
        uses |= _uses(config, samples)
        found += golden_set.rules(config.policy.metrics, uses, samples)
    ids = {sample.id for sample in samples} if samples else None
    return found + policy.waivers(config.policy.waivers, ids, today=today)


def _uses(config: Config, samples: Sequence[Sample]) -> dict[str, list[Sample]]:
    """Return the samples that each of ragate's own metrics applies to; foreign ones are not run."""
    return {
        rule.metric: golden_set.applicable(
            plugins.metric(
                rule.metric, settings=config.metric_settings.get(rule.metric), samples=samples
            ),
            samples,
        )
        for rule in config.policy.metrics
        if plugins.is_builtin("metrics", plugins.split_metric(rule.metric)[0])
    }


def _keys(subject: ExaminedProject) -> Iterable[Finding]:
    config = subject.config
    if config is None:
        return [skipped("keys", UNREAD)]
    used = policy.used_providers(config.system.settings)
    recorded = {provider_of(config, _recorded(config))} if is_recorded_system(config) else set()
    environment = subject.operations.environment
    judging = policy.judging_providers(config)
    spared = judging if config.policy.without_key == "judge-free" else set()
    used |= judging - spared
    return policy.keys(config.policy.providers, used, environment, recorded=recorded, spared=spared)


def _recorded(config: Config) -> str:
    return str(config.system.settings.get("record_provider", ""))


def _baseline(subject: ExaminedProject, runs: list[Run]) -> Iterable[Finding]:
    path = subject.baseline
    if path is None:
        return [skipped(baseline_file.CHECK, UNREAD)]
    run = load_baseline(path)
    runs.append(run)
    name = _name(subject, path)
    found = baseline_file.baseline_file(
        run,
        path=name,
        size=path.stat().st_size,
        today_system=subject.use or run.manifest.system.use,
    )
    top = git.repository(subject.root)
    tracked = git.is_tracked(top, path) if top else None
    ignored = git.is_ignored(top, path) if top else None
    return found + state_folder.committed(name, tracked=tracked, ignored=ignored)


def _comparable(
    subject: ExaminedProject,
    run: Run,
    samples: Sequence[Sample],
    uses: Mapping[str, Sequence[Sample]],
) -> Iterable[Finding]:
    from ragate.core.comparison.repeating_samples import declared_parts

    config = cast("Config", subject.config)
    metrics = make_metrics(config, samples, states=run.manifest.states)
    infos = {metric.info.name: metric.info for metric in metrics}
    gated = [rule.metric for rule in config.policy.metrics if rule.level == "error"]
    losses = _losses(config, run)
    found = baseline_file.comparable(run, infos, gated)
    repeats = declared_parts(config.policy.repeats)
    return found + baseline_file.enough(run, infos, uses, gated, losses=losses, repeats=repeats)


def _losses(config: Config, run: Run) -> int:
    """Return how many samples must break before the gate can fail a change of the system."""
    from ragate.core.rules.metric_family import GENERALISE
    from ragate.core.statistics.fewest_losses import losses_to_fail
    from ragate.core.statistics.looks import Stages
    from ragate.pipeline.power_tables import claims

    policy = config.policy
    known = max(1, run.manifest.runs - run.manifest.identical)
    # Of recorded outputs it is not asked here how many runs they hold: one look, if in doubt.
    further = 0 if config.system.use == "replay" else policy.confirm
    return losses_to_fail(
        Stages(policy.alpha, further),
        1,
        metrics=1,
        baseline_runs=known,
        candidate_runs=1,
        flips=claims(config)[0] == GENERALISE,
    )


def _personal(subject: ExaminedProject, run: Run) -> Iterable[Finding]:
    texts = [record.output.answer for record in run.records if record.output.answer]
    if subject.baseline is not None:
        contexts = load_contexts(subject.baseline)
        texts += [chunk.text for chunks in contexts.values() for chunk in chunks]
    store = subject.config.policy.store if subject.config is not None else "answers"
    return baseline_file.personal_data(texts, store="answers" if texts else store)


def _state(subject: ExaminedProject) -> Iterable[Finding]:
    state = subject.operations.state
    top = git.repository(subject.root)
    known = top is not None and state.is_relative_to(top)
    stored = [path for path in (state / "runs").glob("*") if path.is_dir()]
    return state_folder.state_folder(
        _name(subject, state),
        writable=_writable(state),
        ignored=git.is_ignored(top, state / "x") if top is not None and known else None,
        runs=len(stored),
        size=sum(file.stat().st_size for run in stored for file in run.glob("*")),
    )


def _writable(folder: Path) -> bool:
    """Tell whether the folder, or the nearest above it that exists, can be written."""
    nearest = next(place for place in (folder, *folder.parents) if place.exists())
    return nearest.is_dir() and os.access(nearest, os.W_OK | os.X_OK)


def _name(subject: ExaminedProject, path: Path) -> str:
    real = path.resolve()
    if real.is_relative_to(subject.root):
        return real.relative_to(subject.root).as_posix()
    return str(real)
