"""Comparing what is stored already: runs and baselines, without running anything."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from pathlib import Path

from ragate.baseline import load_baseline
from ragate.config import Config
from ragate.core.comparison.own_passes import deciding_run
from ragate.core.lookup import samples_by_id
from ragate.dataset import read_dataset, select
from ragate.errors import DatasetError
from ragate.models import Acceptance, Report, Run, Sample, Verdict
from ragate.pipeline.decide.compare_and_decide import (
    build_report,
    compare_and_decide,
    refuse_expired_waivers,
    run_facts,
)
from ragate.pipeline.decide.gate_setup import load_baseline_or_none
from ragate.runtime.resources import Operations
from ragate.stores.local import LocalStore
from ragate.support.spill import Spill


def load_any(operations: Operations, name: str) -> Run:
    """Return a run by id, folder or ``latest``, or the baseline of a file.

    Raises:
        UsageError: no such run.
        BaselineError: the file is no baseline.
    """
    path = Path(name)
    if path.suffix == ".json" and path.is_file():
        return load_baseline(path)
    store = LocalStore(operations.state)
    return store.load(store.find(name))


def compare_stored(config: Config, operations: Operations, a: str, b: str) -> Report:
    """Compare stored run `b` with stored run `a` by the policy's rules."""
    baseline, candidate = deciding_run(load_any(operations, a)), load_any(operations, b)
    samples = known_samples(config, candidate)
    today = datetime.datetime.now(datetime.UTC).date()
    judged = compare_and_decide(config, samples, baseline, candidate, today=today)
    facts = run_facts(samples, candidate, judged, duration_s=None)
    return build_report(config, samples, baseline, candidate, judged, facts=facts)


def decide_again(
    config: Config,
    run: Run,
    *,
    accepted: Sequence[Acceptance] = (),
    control: Run | None = None,
) -> Report:
    """Decide on a run that is scored already, by the policy of `config`; nothing is measured.

    Args:
        accepted: Drops that were accepted for the outputs of this very run.
        control: The base version run today.
    """
    refuse_expired_waivers(config, today := datetime.datetime.now(datetime.UTC).date())
    samples = select(read_dataset(config.dataset), run.manifest.filters)
    baseline = load_baseline_or_none(config)
    judged = compare_and_decide(
        config, samples, baseline, run, today=today, accepted=accepted, control=control
    )
    facts = run_facts(samples, run, judged, duration_s=None)
    report = build_report(config, samples, baseline, run, judged, facts=facts, control=control)
    return _without_what_was_left_out(config, run, report)


def _without_what_was_left_out(config: Config, run: Run, report: Report) -> Report:
    """Return no decision in place of a pass where a judge was never asked.

    What failed first spared the judge; where that failure is taken back, its metrics are missing.
    """
    gated = {rule.metric for rule in config.policy.metrics if rule.level == "error"}
    missing = sorted(gated & set(run.manifest.left_out))
    spared = config.policy.without_key != "judge-free"  # else the policy does without them
    if report.decision.verdict is not Verdict.PASSED or not missing or not spared:
        return report
    told = f"not judged, since others failed first: {', '.join(missing)}"
    remedy = "run the workflow again (/ragate rerun): a second attempt asks the judge"
    update = {
        "verdict": Verdict.NO_DECISION,
        "reasons": (told, *report.decision.reasons),
        "remedies": (remedy, *report.decision.remedies),
    }
    return report.model_copy(update={"decision": report.decision.model_copy(update=update)})


def known_samples(config: Config, run: Run) -> Sequence[Sample]:
    """Return the samples of `run`; one that left the golden set stands in by its id."""
    try:
        known = samples_by_id(read_dataset(config.dataset))
    except DatasetError:
        known = {}
    ids = dict.fromkeys(record.sample_id for record in run.records)
    return Spill(
        Sample,
        (known.get(key) or Sample(id=key, query=f"({key}: not in the golden set)") for key in ids),
    )
