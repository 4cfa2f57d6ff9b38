from __future__ import annotations

from typing import Literal

import numpy as np
import pytest

from ragate.core.comparison.compare import Comparison
from ragate.core.rules.metric_case import read_cases
from ragate.core.rules.slice_cases import (
    SliceCase,
    is_split,
    on_all,
    on_slices,
    read_slice_cases,
)
from ragate.models import DecisionSettings, MetricInfo, Needs, Rule, Slice, Waiver
from tests.unit.core.decision_factories import TODAY
from tests.unit.core.rules.slice_factories import pair, part, tagged

RULE = Rule(metric="faithfulness")


def steady(sizes: dict[str, int], **options: object) -> Comparison:
    samples = tagged(sizes, rest=40)
    ones = np.ones((len(samples), 3))
    return pair(samples, ones, ones[:, :1], **options)  # type: ignore[arg-type]


def cases_of(
    comparison: Comparison,
    *slices: Slice,
    rule: Rule = RULE,
    waivers: tuple[Waiver, ...] = (),
) -> list[SliceCase]:
    cases = read_cases([rule], comparison, waivers, TODAY)
    return read_slice_cases(slices, cases, comparison)


def test_a_slice_counts_its_samples_alone() -> None:
    comparison = steady({"billing": 30, "api": 25})

    billing, api = cases_of(comparison, part(), part("api"))

    assert billing.case.counted.sum() == billing.members.sum() == 30
    assert api.case.counted.sum() == 25
    assert not (billing.members & api.members).any()
    assert (billing.case.name, api.case.name) == ("billing:faithfulness", "api:faithfulness")


def test_a_waived_sample_does_not_count_on_its_slice_either() -> None:
    waiver = Waiver(id="q0003", metric="faithfulness", owner="a", reason="b", until=TODAY)

    (billing,) = cases_of(steady({"billing": 30}), part(), waivers=(waiver,))

    assert billing.members.sum() == 30
    assert billing.case.counted.sum() == 29


@pytest.mark.parametrize(("n", "gates"), [(19, False), (20, True)])
def test_a_slice_of_fewer_than_20_samples_is_shown_only(n: int, gates: bool) -> None:
    slice_cases = cases_of(steady({"billing": n}), part())

    (billing,) = slice_cases
    assert billing.case.gates is gates
    assert is_split(slice_cases) is gates
    assert bool(billing.too_few) is not gates


def test_a_slice_of_few_clusters_is_shown_only() -> None:
    samples = tagged({"billing": 40}, rest=40)
    samples = [
        sample.amended(metadata={"doc": f"d{row % 7}"}) for row, sample in enumerate(samples)
    ]
    ones = np.ones((len(samples), 3))

    (billing,) = cases_of(pair(samples, ones, ones[:, :1], cluster="doc"), part())

    assert billing.too_few == "7 clusters: shown only, from 8 on a slice can fail the gate"


def test_a_slice_that_only_warns_takes_no_share_of_alpha() -> None:
    assert not is_split(cases_of(steady({"billing": 30}), part(level="warn")))


@pytest.mark.parametrize(("level", "of_slices"), [("error", 0.005), ("warn", 0.02)])
def test_slices_have_a_quarter_of_alpha_and_all_of_it_where_they_gate_alone(
    level: Literal["error", "warn"], of_slices: float
) -> None:
    settings = DecisionSettings(alpha=0.02)
    rule = RULE.amended(level=level)
    cases = read_cases([rule], steady({"billing": 30}), (), TODAY)

    assert on_all(settings).alpha == pytest.approx(0.015)
    assert on_slices(settings, cases).alpha == pytest.approx(of_slices)


@pytest.mark.parametrize(
    ("n", "of_rule", "allowed"),
    [(30, None, 2 / 30), (400, None, 0.01), (400, 0.001, 0.005), (30, 0.2, 0.2)],
)
def test_a_slice_allows_two_samples_or_what_the_metric_allows(
    n: int, of_rule: float | None, allowed: float
) -> None:
    rule = RULE.amended(max_drop=of_rule)

    (billing,) = cases_of(steady({"billing": n}), part(), rule=rule)

    assert billing.case.rule.max_drop == pytest.approx(allowed)


def test_what_a_slice_allows_is_a_share_of_the_metrics_range() -> None:
    grade = MetricInfo(name="faithfulness", needs=Needs.JUDGE, low=1, high=5, unit="grade")

    (billing,) = cases_of(steady({"billing": 20}, infos=(grade,)), part())

    assert billing.case.rule.max_drop == pytest.approx(4 * 2 / 20)


def test_a_metric_that_this_run_left_out_is_on_no_slice() -> None:
    assert not cases_of(steady({"billing": 30}), part(metrics=("correctness",)))


def test_the_count_of_what_is_checked_stands_on_the_slice_where_it_varies_there() -> None:
    infos = (
        MetricInfo(name="quote_fidelity"),
        MetricInfo(name="quote_fidelity.checked"),
    )
    samples = tagged({"billing": 20, "api": 20})
    base = np.ones((40, 3, 2))
    base[3, 0, 1] = 0.0
    comparison = pair(samples, base, base[:, :1], infos=infos)
    rule = Rule(metric="quote_fidelity")
    cases = read_cases([rule], comparison, (), TODAY)
    slices = [part(name, metrics=("quote_fidelity",)) for name in ("billing", "api")]

    found = read_slice_cases(slices, cases, comparison)

    assert [each.case.name for each in found] == [
        "billing:quote_fidelity",
        "billing:quote_fidelity.checked",
        "api:quote_fidelity",
    ]
