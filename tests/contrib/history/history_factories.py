"""A repository whose commits hold baselines."""

from pathlib import Path

from ragate.baseline.write import dump_baseline, recorded_now
from ragate.models import MetricInfo, Run
from tests.factories import record_factory, run_factory, sample_factory
from tests.repositories import git


def scored(first: float, *, version: int = 1, judge: str | None = None) -> Run:
    records = [
        record_factory(scores={"mrr": first}),
        record_factory(sample_factory("q002"), scores={"mrr": 1.0}),
    ]
    info = MetricInfo(name="mrr", version=version)
    return run_factory(records, metrics={"mrr": info}, judge=judge)


def content(scored_run: Run) -> bytes:
    recorded = recorded_now(scored_run, date="2026-11-01")
    return dump_baseline(scored_run, store="answers", recorded=recorded)


def commit(project: Path, data: bytes, subject: str) -> None:
    (project / "b.json").write_bytes(data)
    git(project, "add", "b.json")
    git(project, "commit", "-q", "-m", subject)
