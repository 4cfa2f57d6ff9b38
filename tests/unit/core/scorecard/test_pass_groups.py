from __future__ import annotations

import datetime

from ragate.core.comparison.compare import compare
from ragate.core.decision.scorecard import MOST_OF_A_KIND, pass_groups, staged_runs
from ragate.core.rules.metric_case import read_cases
from ragate.models import PassGroup, Rule, Sample, Waiver
from tests.factories import record_factory, run_factory, sample_factory
from tests.unit.core.scorecard.card_factories import INFOS, card, stage

TODAY = datetime.date(2026, 6, 1)
CARD = card(stage("token_f1"), by=("complexity",))


def groups_of(
    samples: list[Sample],
    before: list[float],
    after: list[float],
    waivers: tuple[Waiver, ...] = (),
) -> list[PassGroup]:
    runs = [
        run_factory(
            [record_factory(s, scores={"token_f1": v}) for s, v in zip(samples, side, strict=True)],
            metrics={"token_f1": INFOS["token_f1"]},
        )
        for side in (before, after)
    ]
    baseline, candidate = staged_runs(CARD, *runs)
    comparison = compare(baseline, candidate, samples)
    rules = [Rule(metric="token_f1", pass_at=0.5), *CARD.rules]
    return list(pass_groups(CARD, read_cases(rules, comparison, waivers, TODAY), comparison))


def told(groups: list[PassGroup]) -> dict[str, tuple[int, float | None, float | None]]:
    return {f"{g.kind} {g.name}": (g.share.n, g.share.baseline, g.share.candidate) for g in groups}


def test_stages_tags_and_values_have_their_own_shares() -> None:
    samples = [
        sample_factory(f"q{n}", tags=("a",) if n < 2 else ("b",), metadata={"complexity": n % 2})
        for n in range(4)
    ]

    assert told(groups_of(samples, [1.0, 1.0, 1.0, 1.0], [0.0, 1.0, 1.0, 1.0])) == {
        "stage token_f1": (4, 1.0, 0.75),
        "tag a": (2, 1.0, 0.5),
        "tag b": (2, 1.0, 1.0),
        "complexity 0": (2, 1.0, 0.5),
        "complexity 1": (2, 1.0, 1.0),
    }


def test_a_field_of_one_value_tells_nothing() -> None:
    samples = [sample_factory(f"q{n}", metadata={"complexity": 1}) for n in range(2)]

    assert list(told(groups_of(samples, [1.0, 1.0], [1.0, 1.0]))) == ["stage token_f1"]


def test_the_largest_groups_are_told() -> None:
    samples = [sample_factory(f"q{n:02d}", tags=(f"t{n:02d}", "all")) for n in range(30)]

    groups = groups_of(samples, [1.0] * 30, [1.0] * 30)

    tags = [group.name for group in groups if group.kind == "tag"]
    assert (tags[0], len(tags)) == ("all", MOST_OF_A_KIND)


def test_a_waived_sample_is_not_counted() -> None:
    samples = [sample_factory("q0", tags=("a",)), sample_factory("q1", tags=("a",))]
    waiver = Waiver(
        id="q0", metric="pass_rate", owner="me", reason="r", until=datetime.date(2027, 1, 1)
    )

    groups = told(groups_of(samples, [1.0, 1.0], [0.0, 1.0], (waiver,)))

    assert groups["tag a"] == (1, 1.0, 1.0)
