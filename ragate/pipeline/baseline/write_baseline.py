"""The baseline file: written anew only where the fresh runs say something else."""

import datetime
import os
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import fmean

from ragate.baseline import (
    MACHINE_UNITS,
    baseline_lines,
    contexts_path,
    is_written,
    load_baseline,
    open_baseline,
    recorded_before,
    recorded_now,
    save_baseline,
)
from ragate.config import Config
from ragate.core.comparison.compare import compare
from ragate.core.decision.decide import decide
from ragate.core.scorecard.staged_run import staged_runs
from ragate.errors import BaselineError
from ragate.models import Acceptance, MetricVerdict, Run, Sample

_MOVED = {MetricVerdict.REGRESSED, MetricVerdict.IMPROVED, MetricVerdict.WORSE_HERE}


class BaselineOutcome(StrEnum):
    """What became of the baseline file."""

    CREATED = "created"
    REPLACED = "replaced"
    UNCHANGED = "unchanged"
    WITHIN_NOISE = "within_noise"


@dataclass(frozen=True)
class BaselineUpdate:
    """What became of the file, the run that was recorded, and the baseline before it."""

    outcome: BaselineOutcome
    run: Run
    old: Run | None
    note: str = ""


def write_baseline(
    config: Config, samples: Sequence[Sample], run: Run, *, force: bool
) -> BaselineUpdate:
    """Write the file where the run differs from it by more than its noise, or `force` says so."""
    path, store = config.baseline, config.policy.store
    is_new, old = not os.path.lexists(path), readable_baseline(config)
    if old is not None:
        same = with_accepted(run, old.manifest.accepted)
        before = recorded_before(old)
        if is_written(path, baseline_lines(same, store=store, recorded=before)):
            if store == "full" and not contexts_path(path).is_file():
                save_baseline(path, baseline_lines(same, store=store, recorded=before), run, store)
            return BaselineUpdate(BaselineOutcome.UNCHANGED, run, old)
        if not force and (note := _within_noise(config, samples, old, run)):
            return BaselineUpdate(BaselineOutcome.WITHIN_NOISE, run, old, note)
    recorded = recorded_now(run, date=_today().isoformat())
    save_baseline(path, baseline_lines(run, store=store, recorded=recorded), run, store)
    outcome = BaselineOutcome.CREATED if is_new else BaselineOutcome.REPLACED
    return BaselineUpdate(outcome, run, old)


def readable_baseline(config: Config) -> Run | None:
    """Return the old baseline; one that cannot be read is replaced, which is what was asked for."""
    file = open_baseline(config.baseline)
    if file is None:
        return None
    file.close()
    try:
        return load_baseline(config.baseline)
    except BaselineError:
        return None


def with_accepted(run: Run, accepted: Sequence[Acceptance]) -> Run:
    """Return the run with the drops that were accepted on the way to it."""
    manifest = run.manifest.amended(accepted=tuple(accepted))
    return run.amended(manifest=manifest)


def run_means(run: Run) -> dict[str, float]:
    """Return the mean of every metric over the samples, sorted by name.

    A sample counts once, with the mean of its passes: must-pass samples are asked more often.
    """
    of_samples: dict[str, dict[str, list[float]]] = {}
    of_runs = [("", scores) for scores in run.aggregates]
    for sample, scores in [*((each.sample_id, each.scores) for each in run.records), *of_runs]:
        for name, score in scores.items():
            if score.value is not None:
                of_samples.setdefault(name, {}).setdefault(sample, []).append(score.value)
    return {
        name: fmean(map(fmean, samples.values())) for name, samples in sorted(of_samples.items())
    }


def _within_noise(config: Config, samples: Sequence[Sample], old: Run, run: Run) -> str:
    """Return why the old file says the same as the new run, "" where it does not."""
    before, fresh = old.manifest, run.manifest
    if before.merged is not None:  # no system ever gave what it holds
        return ""
    infos = {name: i for name, i in fresh.metrics.items() if i.unit not in MACHINE_UNITS}
    if (before.system, before.metrics, before.runs) != (fresh.system, infos, fresh.runs):
        return ""
    if before.judge != fresh.judge:  # equal figures of another judge are another yardstick
        return ""
    policy = config.policy
    seen, fresh_run, _ = staged_runs(policy.scorecard, old, run)
    comparison = compare(seen, fresh_run, samples, cluster=policy.cluster, repeats=policy.repeats)
    data = comparison.data
    if data.added or data.removed or data.edited:
        return ""
    rules = [rule for rule in policy.rules if rule.level != "off"]
    settings, slices = policy.decision, policy.slices
    decision = decide(rules, comparison, settings, today=_today(), slices=slices)
    if any(row.verdict in _MOVED or (row.exact and row.change) for row in decision.rows):
        return ""
    return (
        "the fresh runs differ from the baseline by no more than its own noise; the file is kept "
        "(--force writes it all the same)"
    )


def _today() -> datetime.date:
    return datetime.datetime.now(datetime.UTC).date()
