from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

from ragate.models import MetricInfo, Needs, Score
from ragate.plugins import metric
from ragate.protocols import Judge
from ragate.scoring.spared_stages import Judgement, SparedStages, Turns, spared_stages
from tests.factories import output_factory, sample_factory
from tests.unit.core.scorecard.card_factories import card, stage

JUDGED = ("correctness", "faithfulness", "relevancy")
SAMPLE, OUTPUT = sample_factory(), output_factory()
INFO = MetricInfo(name="my_faithfulness", needs=Needs.JUDGE)
LOST = output_factory(docs=["other.md"])


def spared(*, required: str = "faithfulness", **fields: Any) -> SparedStages | None:
    stages = [
        stage(name, pass_at=4.0 if name == "correctness" else 0.5, required=name == required)
        for name in ("hit_rate@5", "faithfulness", "relevancy", "correctness")
    ]
    return spared_stages(card(*stages, **fields), [metric(each.metric) for each in stages])


class Queue:
    """Notes what is asked, and hears the scores that it is given."""

    def __init__(self) -> None:
        self.asked: list[list[str]] = []
        self.hear: Any = None

    def start(self, _key: str, _ask: Any, group: Sequence[str], hear: Any, **_: str) -> None:
        self.asked.append(list(group))
        self.hear = hear


def turns(found: SparedStages | None, queue: Queue, *, apart: bool) -> Turns:
    return Turns(found, cast("Judge", print), queue.start, JUDGED, apart=apart)


def test_without_a_scorecard_everything_is_asked() -> None:
    found = turns(None, Queue(), apart=False)

    assert found.now("key", [JUDGED], SAMPLE, OUTPUT, {}) == [list(JUDGED)]
    assert not found.any


def test_what_a_judge_takes_in_one_call_stays_in_one_call() -> None:
    found = turns(spared(), Queue(), apart=False)

    assert found.now("key", [JUDGED], SAMPLE, OUTPUT, {}) == [list(JUDGED)]


def test_a_failed_stage_without_a_model_spares_the_whole_call() -> None:
    found = turns(spared(required="hit_rate@5"), Queue(), apart=False)

    assert found.now("key", [JUDGED], SAMPLE, LOST, {}) == []
    assert found.now("key", [JUDGED], SAMPLE, OUTPUT, {}) == [list(JUDGED)]


def test_a_criterion_is_asked_once_of_one_output() -> None:
    found = turns(spared(), Queue(), apart=False)
    found.now("key", [JUDGED], SAMPLE, OUTPUT, {})

    assert found.now("key", [JUDGED], SAMPLE, OUTPUT, {}) == []
    assert found.now("other", [JUDGED], SAMPLE, OUTPUT, {}) == [list(JUDGED)]


def started(score: float) -> list[list[str]]:
    """Return what a judge that is asked one by one is asked, where the required stage gets this."""
    queue = Queue()
    found = turns(spared(), queue, apart=True)
    known: dict[str, Score] = {}

    def keep(scores: Judgement) -> Judgement:
        known.update(scores)
        return known

    first = found.now("key", [[name] for name in JUDGED], SAMPLE, OUTPUT, known)
    found.start("key", first, SAMPLE, OUTPUT, keep)
    queue.hear({"faithfulness": Score(metric="faithfulness", value=score)})
    return queue.asked


def test_one_by_one_the_required_stage_comes_first_and_the_others_where_it_passes() -> None:
    assert started(1.0) == [["faithfulness"], ["correctness"], ["relevancy"]]
    assert started(0.0) == [["faithfulness"]]


def test_nothing_is_spared_in_parallel_or_where_no_stage_is_required_or_one_is_missing() -> None:
    assert spared(parallel=True) is None
    assert spared(required="") is None
    assert spared_stages(card(stage("recall@5", required=True)), []) is None


def test_a_criterion_of_a_spared_metric_is_asked_for_another_that_is_not() -> None:
    stages = [stage("hit_rate@5", required=True), stage("faithfulness"), stage("relevancy")]
    held = card(*stages[:2], stages[2].amended(own_row=True))
    metrics = [metric(each.metric) for each in stages]
    found = spared_stages(held, metrics)
    other = spared_stages(
        card(*stages[:2]), [*metrics[:2], replace(cast("Any", metrics[1]), info=INFO)]
    )
    assert found is not None
    assert other is not None

    assert found.criteria(SAMPLE, LOST, {}) == {"faithfulness"}
    assert other.criteria(SAMPLE, LOST, {}) == frozenset()


def test_metrics_that_ask_by_themselves_are_spared_by_what_the_judge_said() -> None:
    found = spared()
    assert found is not None
    low = {"faithfulness": Score(metric="faithfulness", value=0.0)}

    assert found.metrics(SAMPLE, OUTPUT, low) == {"relevancy", "correctness"}
    assert found.metrics(SAMPLE, OUTPUT, {}) == frozenset()
    assert metric("relevancy").info.needs is Needs.JUDGE
