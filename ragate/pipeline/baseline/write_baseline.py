"""The baseline file: fresh runs written whole, unless they lost what nobody accepted."""

import datetime
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from statistics import fmean

from ragate.baseline import contexts_path, load_baseline, open_baseline
from ragate.baseline.write import (
    baseline_lines,
    is_written,
    recorded_before,
    recorded_now,
    save_baseline,
)
from ragate.config import Config
from ragate.errors import BaselineError
from ragate.models import Acceptance, Decision, Moved, Record, Run, Sample
from ragate.pipeline.baseline.refuse_losses import (
    decided_against,
    losses,
    refuse,
    refuse_faults,
)
from ragate.pipeline.golden.id_advice import IdAdvice
from ragate.support.spill import Spill


class BaselineOutcome(StrEnum):
    """What became of the baseline file."""

    CREATED = "created"
    REPLACED = "replaced"
    UNCHANGED = "unchanged"


@dataclass(frozen=True)
class BaselineUpdate:
    """What became of the file, which run of which samples was recorded, and what was before."""

    outcome: BaselineOutcome
    run: Run
    samples: Sequence[Sample]
    old: Run | None


def write_baseline(
    config: Config,
    samples: Sequence[Sample],
    run: Run,
    old: Run | None,
    *,
    accepted: Sequence[Acceptance] = (),
    advice: IdAdvice | None = None,
    whole: Callable[[Record], Record],
) -> BaselineUpdate:
    """Write the run as the baseline; the file keeps its bytes where the run says the same.

    Args:
        old: The baseline that is there, None where there is none that can be read.
        accepted: What may be lost, or wrong with the run; the file names it.
        advice: On ids that do not fit.
        whole: Gives a record its retrieved texts back, which ``store = "full"`` keeps.

    Raises:
        RagateError: something was lost, or is wrong with the run, and nobody accepted it.
    """
    path, store = config.baseline, config.policy.store
    is_new = not os.path.lexists(path)
    taken = refuse_faults(config, samples, run, old, given=accepted, advice=advice)
    if old is not None and not taken.is_news and _is_same(config, old, run):
        if store == "full" and not contexts_path(path).is_file():
            _save(config, _as_recorded(run, old), whole, before=old)
        return BaselineUpdate(BaselineOutcome.UNCHANGED, run, samples, old)
    moved = None
    if old is not None:
        decision = decided_against(config, samples, run, old)
        refuse(losses(decision), accepted, advice=advice)
        moved = moved_since(old, decision)
    run = run.amended(manifest=run.manifest.amended(accepted=taken.written, moved=moved))
    _save(config, run, whole)
    outcome = BaselineOutcome.CREATED if is_new else BaselineOutcome.REPLACED
    return BaselineUpdate(outcome, run, samples, old)


def _is_same(config: Config, old: Run, run: Run) -> bool:
    lines = baseline_lines(
        _as_recorded(run, old), store=config.policy.store, recorded=recorded_before(old)
    )
    return is_written(config.baseline, lines)


def _as_recorded(run: Run, old: Run) -> Run:
    """Return the run with what the file tells of its past."""
    past = old.manifest
    return run.amended(manifest=run.manifest.amended(accepted=past.accepted, moved=past.moved))


def _save(
    config: Config, run: Run, whole: Callable[[Record], Record], *, before: Run | None = None
) -> None:
    path, store = config.baseline, config.policy.store
    if store == "full":
        # With texts they are large: none is kept in memory.
        run = run.amended(records=Spill(Record, map(whole, run.records), kept=0))
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    recorded = recorded_now(run, date=today) if before is None else recorded_before(before)
    save_baseline(path, baseline_lines(run, store=store, recorded=recorded), run, store)


def moved_since(old: Run, decision: Decision) -> Moved | None:
    """Add the changes of the gated metrics to the sum that the baseline before holds."""
    past = old.manifest.moved or Moved(commit=old.manifest.commit, date=old.manifest.created)
    changes = dict(past.changes)
    for row in decision.metrics:
        if row.level == "error" and row.change is not None:
            changes[row.key] = round(changes.get(row.key, 0.0) + row.change, 6)
    changes = {name: change for name, change in sorted(changes.items()) if change}
    return past.amended(changes=changes) if changes or old.manifest.moved is not None else None


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
