"""The count of what a metric had to check is held as the metric is."""

from __future__ import annotations

from ragate.core.rules.checked_columns import checked_rules, with_nothing_checked
from ragate.models import MetricInfo, PassRule, Rule
from tests.factories import metric_row_factory
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
    rule = Rule(metric=names[0], max_drop=0.2)

    (counted,) = checked_rules([rule], comparison.columns)

    assert counted == rule.amended(metric=names[1])
    # Where the mean only warns and the share that passes gates, saying less must not pay either.
    shared = rule.amended(level="warn", pass_at=0.9, pass_rate=PassRule())
    assert [each.level for each in checked_rules([shared], comparison.columns)] == ["error"]


def test_a_row_says_where_no_answer_held_anything_to_check() -> None:
    names = ("polarity", "polarity.checked", "quote_fidelity", "quote_fidelity.checked")
    values = {key: [[1.0], [1.0]] for key in names} | {names[3]: [[0.0], [0.0]]}
    infos = tuple(MetricInfo(name=name) for name in names)
    comparison = compared(values, values, samples_of(2), infos=infos)
    rows = [metric_row_factory(names[0]), metric_row_factory(names[2])]

    polarity, quotes = with_nothing_checked(rows, comparison.columns)

    assert (polarity.checks_nothing, quotes.checks_nothing) == (False, True)
