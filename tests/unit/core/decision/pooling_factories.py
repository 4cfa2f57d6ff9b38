"""Runs that took over passes of earlier runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ragate.core.comparison.compare import compare
from ragate.core.comparison.run_passes import deciding_run
from ragate.core.decision.decide import decide
from ragate.core.decision.pooling import Terms, with_earlier
from ragate.models import Decision, DecisionSettings, EarlierPasses, EarlierRun, Rule, Run
from tests.unit.core.decision_factories import NOISY, TODAY, columns, run_of, samples_of

N = 100


RULE = Rule(metric="faithfulness")


def passes(*broken: Sequence[int], n: int = N) -> np.ndarray:
    """One pass for all broken samples; (samples, passes)."""
    made = np.ones((n, len(broken)))
    for number, rows in enumerate(broken):
        made[list(rows), number] = 0.0
    return made


GOOD = range(0)


def runs_of(count: int, *, failed: bool = False) -> tuple[EarlierRun, ...]:
    return tuple(
        EarlierRun(created=f"2026-11-2{day}T09:14:00+00:00", passes=1, failed=failed)
        for day in range(count)
    )


def candidate(scores: np.ndarray, *, earlier: int, **manifest: Any) -> Run:
    fields: dict[str, Any] = {"earlier": runs_of(earlier), "confirm": 2, **manifest}
    return run_of({NOISY.name: columns(scores)}, samples_of(len(scores)), words="after", **fields)


def judged(run: Run, *rules: Rule, n: int = N, **terms: Any) -> Decision:
    samples = samples_of(n)
    before = columns(passes(GOOD, GOOD, GOOD, n=n))
    baseline = run_of({NOISY.name: before}, samples, words="before")
    settings, wanted = DecisionSettings(), rules or (RULE,)
    comparison = compare(baseline, deciding_run(run), samples)
    accepted = terms.get("accepted", ())
    decision = decide(wanted, comparison, settings, today=TODAY, accepted=accepted)
    return with_earlier(decision, comparison, run, Terms(wanted, settings, (), TODAY, **terms))


def earlier_of(decision: Decision) -> EarlierPasses:
    assert decision.earlier is not None
    return decision.earlier


LOST = range(4)  # in all passes: p is 1 in 32, suspicious and not proven
WORSE = (range(5), (*LOST, 5), LOST)  # two more samples are lost once: 1 in 128 all together


def confirmed(*earlier: Sequence[int], **terms: Any) -> Decision:
    """Judge a newest run that lost four samples of 40 in all three passes."""
    run = candidate(passes(*earlier, LOST, LOST, LOST, n=40), earlier=len(earlier))
    return judged(run, n=40, **terms)
