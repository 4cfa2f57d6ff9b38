"""The count of what a metric had to check is held as the metric is."""

from __future__ import annotations

from ragate.core.rules.checked_columns import checked_rules
from ragate.models import MetricInfo, PassRule, Rule
from tests.unit.core.decision_factories import compared, samples_of


def test_what_a_metric_allows_its_count_allows_too() -> None:
    names = ("citation_validity", "citation_validity.checked")
    infos = tuple(MetricInfo(name=name) for name in names)
    samples = samples_of(2)
    comparison = compared(
        {name: [[1.0], [1.0]] for name in names},
        {name: [[1.0], [0.0]] for name in names},
        samples,
        infos=infos,
    )
    rule = Rule(metric=names[0], max_drop=0.2, min_drop=0.1, margin=0.05)

    (counted,) = checked_rules([rule], comparison.columns)

    assert counted == rule.amended(metric=names[1])
    # Where the mean only warns and the share that passes gates, saying less must not pay either.
    shared = rule.amended(level="warn", pass_at=0.9, pass_rate=PassRule())
    assert [each.level for each in checked_rules([shared], comparison.columns)] == ["error"]
