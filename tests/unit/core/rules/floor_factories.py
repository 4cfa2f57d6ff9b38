"""Pairs of runs for the tests of this folder."""

from __future__ import annotations

from ragate.core.comparison.compare import compare
from ragate.models import Rule, Sample
from tests.unit.core.decision_factories import judge, noisy_pair, row_of, run_of, samples_of

PASS_MARK = Rule(metric="faithfulness", pass_at=0.8)


def must_pass(before: list[float] | None, tries: list[float | str | None], **options: object):
    """Decide 40 unchanged samples and one must-pass sample with these scores."""
    others = samples_of(40)
    sample = Sample(id="vat", query="Is VAT included?", must_pass=True)
    then = [sample, *others] if before is not None else others
    runs = len(before) if before else 3
    rest = [[float(row % 2)] * runs for row in range(40)]
    scores = [before, *rest] if before is not None else rest
    baseline = run_of({"faithfulness": scores}, then, words="before")
    candidate = run_of(
        {"faithfulness": [tries, *[[float(row % 2)] for row in range(40)]]},
        [sample, *others],
        words="after",
        deterministic=options.pop("deterministic", ()),  # type: ignore[arg-type]
    )
    comparison = compare(baseline, candidate, [sample, *others])
    return judge(comparison, options.pop("rule", PASS_MARK), **options)  # type: ignore[arg-type]


def floor_of(passed: int, **options: object):
    """Decide an unchanged noisy metric of 100 samples with a floor of 0.9."""
    column = [[1.0]] * passed + [[0.0]] * (100 - passed)
    comparison = noisy_pair(column, column)
    rule = Rule(metric="faithfulness", minimum=0.9)
    decision = judge(comparison, rule, **options)
    return decision, row_of(decision, "faithfulness").floor
