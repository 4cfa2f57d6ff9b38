"""The doctor's round: reads files, asks git and the database, and hands the facts to the checks."""

import datetime
import platform
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import cast

from ragate import plugins
from ragate.baseline import load_baseline
from ragate.cli import one_question
from ragate.cli.doctor import (
    baseline_file,
    document_ids,
    golden_set,
    on_disk,
    personal_data,
    policy,
)
from ragate.cli.doctor.examined_config import ExaminedProject, read_subject
from ragate.cli.doctor.slices import slices
from ragate.cli.doctor.under_test import UNREAD, database, system
from ragate.cli.doctor.workflows import CHECK as CHECK_WORKFLOWS
from ragate.cli.doctor.workflows import workflows
from ragate.cli.finding import Finding, guarded, of_error, ok, skipped
from ragate.cli.worker import queue_findings
from ragate.config import Config
from ragate.dataset import asked, read_entries
from ragate.models import Run, Sample
from ragate.pipeline.decide.drill_proof import last_proof
from ragate.pipeline.decide.remeasured_merge import remeasured
from ragate.pipeline.score.applicable import applicable
from ragate.pipeline.score.policy_metrics import make_metrics
from ragate.recorder.open_system import is_recorded_system
from ragate.recorder.run_resolver import provider_of
from ragate.version import __version__


def examine(
    start: Path,
    path: Path | None,
    environment: Mapping[str, str],
    *,
    today: datetime.date,
    ask: bool = False,
) -> list[Finding]:
    """Return the findings of every check, in the order of docs/doctor.md.

    Args:
        start: Where the search for ragate.toml begins. path: Where one is named.
        ask: The system is asked one question.
    """
    subject = read_subject(start, path, environment)
    samples: list[Sample] = []
    runs: list[Run] = []
    uses: dict[str, list[Sample]] = {}
    python = f"Python {platform.python_version()}, {platform.system()} {platform.machine()}"
    findings = [ok("ragate", f"{__version__}, {python}")]
    findings += [of_error(check, error) for check, error in subject.errors]
    if subject.config is not None:
        findings += policy.configuration(subject.config)
    findings += guarded(golden_set.CHECK, lambda: _golden(subject, samples))
    findings += guarded("rules", lambda: _rules(subject, samples, uses, today))
    findings += guarded("system", lambda: system(subject, samples))
    findings += guarded("keys", lambda: _keys(subject))
    findings += guarded("environment", lambda: on_disk.dotenv(subject))
    findings += guarded("database", lambda: database(subject))
    findings += guarded(baseline_file.CHECK, lambda: _baseline(subject, runs))
    findings += guarded(
        one_question.CHECK,
        lambda: one_question.one_question(subject.config, subject.operations, samples, wanted=ask),
    )
    findings += guarded(document_ids.CHECK, lambda: _document_ids(subject, samples, runs))
    if runs and samples:
        findings += _compared(subject, runs[0], samples, uses)
    if runs:
        findings += guarded(personal_data.CHECK, lambda: on_disk.personal(subject, runs[0]))
        findings += guarded("drill", lambda: policy.proof(last_proof(subject.operations)))
    findings += guarded("state folder", lambda: on_disk.state(subject))
    findings += _servers(subject)
    gate = subject.config.gate if subject.config is not None else ""
    return findings + guarded(CHECK_WORKFLOWS, lambda: workflows(subject.root, gate))


def _servers(subject: ExaminedProject) -> list[Finding]:
    found = guarded("run store", lambda: on_disk.run_store(subject))
    queue = queue_findings.queue
    return found + guarded(queue_findings.CHECK, lambda: queue(subject.operations))


def _golden(subject: ExaminedProject, samples: list[Sample]) -> Iterable[Finding]:
    if subject.dataset is None:
        return [skipped(golden_set.CHECK, UNREAD)]
    entries = read_entries(subject.dataset)
    samples += asked(entries, path=subject.dataset)
    findings = golden_set.golden_set(samples, dataset=on_disk.shown_name(subject, subject.dataset))
    return [*findings, *golden_set.drafts(entries)]


def _rules(
    subject: ExaminedProject,
    samples: Sequence[Sample],
    uses: dict[str, list[Sample]],
    today: datetime.date,
) -> Iterable[Finding]:
    config = subject.config
    if config is None:
        return [skipped("rules", UNREAD)]
    findings = []
    if samples:
        uses |= _uses(config, samples)
        metrics, gated = config.policy.metrics, config.policy.gated
        findings += golden_set.rules(metrics, uses, samples, on_slices=gated)
        findings += slices(config.policy.slices, samples)
    ids = {sample.id for sample in samples} if samples else None
    return findings + policy.waivers(config.policy.waivers, ids, today=today)


def _uses(config: Config, samples: Sequence[Sample]) -> dict[str, list[Sample]]:
    """Return the samples that each of ragate's own metrics applies to; foreign ones are not run."""
    return {
        rule.metric: applicable(
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
    if subject.config is not None:
        run = remeasured(subject.config, run)
    runs.append(run)
    return on_disk.baseline(subject, path, run)


def _document_ids(
    subject: ExaminedProject, samples: Sequence[Sample], runs: Sequence[Run]
) -> Iterable[Finding]:
    config = subject.config
    if config is None or plugins.traits(subject.use).tells_ids:  # looked at above, without a run
        return []
    baseline = runs[0] if runs else None
    return document_ids.of_run(config, samples, baseline, subject.operations.state)


def _compared(
    subject: ExaminedProject, run: Run, samples: list[Sample], uses: Mapping[str, Sequence[Sample]]
) -> list[Finding]:
    found = guarded(baseline_file.CHECK, lambda: baseline_file.matched(run, samples))
    if subject.config is None:
        return found
    return found + guarded(baseline_file.CHECK, lambda: _comparable(subject, run, samples, uses))


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
    gated = [rule.metric for rule in config.policy.metrics if rule.metric in config.policy.gated]
    losses = baseline_file.fewest_losses(config, run)
    findings = baseline_file.comparable(run, infos, gated)
    repeats = declared_parts(config.policy.repeats)
    return findings + baseline_file.enough(run, infos, uses, gated, losses=losses, repeats=repeats)
