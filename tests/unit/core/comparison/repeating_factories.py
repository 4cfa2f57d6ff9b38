"""Pairs of runs of systems that repeat, and of some that should."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ragate.core.comparison.compare import Comparison, compare
from ragate.models import Decision, MetricInfo, Reads, Rule, Run, Verdict
from tests.unit.core.decision_factories import judge, run_of, samples_of

ANSWERED = MetricInfo(name="number_recall", reads=Reads.ANSWER)


NUMBERS = Rule(metric="number_recall")


def side(scores: Sequence[Sequence[float]], *, info: MetricInfo = ANSWERED, **options: Any) -> Run:
    """Return a run of an undeclared system whose equal scores are equal outputs."""
    samples = samples_of(len(scores))
    defaults: dict[str, Any] = {"infos": (info,), "deterministic": (), "own_sessions": True}
    run = run_of({info.name: [list(row) for row in scores]}, samples, **(defaults | options))
    rows = {sample.id: row for sample, row in zip(samples, scores, strict=True)}
    records = [
        record.amended(
            retrieval_hash=f"{rows[record.sample_id][record.run]}",
            output_hash=f"{rows[record.sample_id][record.run]}",
        )
        for record in run.records
    ]
    return run.amended(records=tuple(records))


def pair_of(
    before: Sequence[float],
    after: Sequence[float],
    *,
    passes: int = 5,
    jitter: Mapping[int, Sequence[float]] = {},
    shaky: Mapping[int, Sequence[float]] = {},
    recorded: Mapping[str, Any] = {},
    **options: Any,
) -> Comparison:
    """Compare three equal baseline passes with as many equal candidate passes as prove a change.

    Args:
        jitter, shaky: By row, the scores of the candidate's and of the baseline's passes.
        recorded: Of the baseline's manifest.
    """
    old = [list(shaky.get(row, [value] * 3)) for row, value in enumerate(before)]
    new = [list(jitter.get(row, [value] * passes)) for row, value in enumerate(after)]
    samples = samples_of(len(before))
    return compare(side(old, **recorded), side(new, **options), samples)


def declared(comparison: Comparison, *rules: Rule, **options: Any) -> Decision:
    return judge(comparison, *(rules or (NUMBERS,)), **options)


def share_of_red(simulate: Any, draws: int) -> float:
    rng = np.random.default_rng(5)
    return sum(simulate(rng).verdict is Verdict.FAILED for _ in range(draws)) / draws
