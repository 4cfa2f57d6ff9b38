"""Baselines for the tests of this folder."""

from __future__ import annotations

from collections.abc import Mapping

from ragate.baseline import Recorded, Store
from ragate.baseline.write import dump_baseline
from ragate.models import MetricInfo, Run, Score, not_applicable
from tests.factories import output_factory, record_factory, run_factory, sample_factory

RECORDED = Recorded(commit="a" * 40, date="2026-01-02")


def run_of(*answers: str, **manifest: object) -> Run:
    """A run of two samples; each answer is one pass."""
    records = [
        record_factory(
            sample_factory(sample_id),
            output_factory(answer=answer),
            run=run,
            scores={"ndcg@10": 1 / 3, "token_f1": not_applicable("token_f1", "no references")},
        )
        for sample_id in ("q2", "q1")
        for run, answer in enumerate(answers)
    ]
    infos = {name: MetricInfo(name=name, fingerprint="f") for name in ("ndcg@10", "token_f1")}
    return run_factory(records, metrics=infos, runs=len(answers), **manifest)


def dumped(run: Run, store: Store = "answers") -> bytes:
    return dump_baseline(run, store=store, recorded=RECORDED)


def with_figures(
    answers: Mapping[str, str], figures: dict[str, Score], *, day: int = 1, **manifest: object
) -> bytes:
    """The same, with figures over each whole pass."""
    records = [
        record_factory(
            sample_factory(sample_id),
            output_factory(answer=answer),
            run=run,
            scores={"token_f1": len(answer) / 10},
        )
        for run in range(2)
        for sample_id, answer in answers.items()
    ]
    infos = {"token_f1": MetricInfo(name="token_f1", fingerprint="f")}
    given = {"metrics": infos, "runs": 2, "identical": 1, **manifest}
    run = run_factory(records, **given).amended(aggregates=(figures, figures))
    recorded = Recorded(commit=f"{day}" * 40, date=f"2026-01-0{day}")
    return dump_baseline(run, store="answers", recorded=recorded)
