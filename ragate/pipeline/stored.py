"""Comparing what is stored already: runs and baselines, without running anything."""

from __future__ import annotations

import datetime
from pathlib import Path

from ragate.baseline import load_baseline
from ragate.config import Config
from ragate.dataset import read_dataset
from ragate.errors import DatasetError
from ragate.models import Report, Run, Sample
from ragate.pipeline.resources import Operations
from ragate.pipeline.verdict import build_report, judge, run_facts
from ragate.stores.local import LocalStore


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
    baseline, candidate = load_any(operations, a), load_any(operations, b)
    samples = known_samples(config, candidate)
    today = datetime.datetime.now(datetime.UTC).date()
    judged = judge(config, samples, baseline, candidate, today=today)
    facts = run_facts(samples, candidate, judged, duration_s=None)
    return build_report(config, samples, baseline, candidate, judged, facts=facts)


def known_samples(config: Config, run: Run) -> list[Sample]:
    """Return the samples of `run`; one that left the golden set stands in by its id."""
    try:
        known = {sample.id: sample for sample in read_dataset(config.dataset)}
    except DatasetError:
        known = {}
    ids = dict.fromkeys(record.sample_id for record in run.records)
    return [
        known.get(sample_id) or Sample(id=sample_id, query=f"({sample_id}: not in the golden set)")
        for sample_id in ids
    ]
