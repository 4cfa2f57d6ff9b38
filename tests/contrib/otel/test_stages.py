"""Each question has a span for its scorecard, and below it one for each stage."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from ragate.contrib.otel.run_counts import QueuePace
from tests.contrib.otel.conftest import Checked
from tests.servers.collector import attributes

pytestmark = pytest.mark.integration


def stages(scored: Checked, name: str) -> dict[str, dict[str, Any]]:
    """Return the attributes of a stage's spans by the question above them."""
    cards = {each.span_id: each for each in scored.seen.named("ragate.scorecard")}
    return {
        attributes(cards[each.parent_span_id])["ragate.sample.id"]: attributes(each)
        for each in scored.seen.named(f"ragate.stage {name}")
    }


def test_a_scorecard_stands_below_its_question_and_says_whether_it_passes(scored):
    samples = {
        attributes(each)["ragate.sample.id"]: each.span_id
        for each in scored.seen.named("ragate.sample")
    }
    cards = {
        attributes(each)["ragate.sample.id"]: each for each in scored.seen.named("ragate.scorecard")
    }
    outcomes = {each["sample_id"]: each for each in scored.report["outcomes"]}

    assert cards.keys() == samples.keys() == outcomes.keys()
    for key, card in cards.items():
        assert card.parent_span_id == samples[key]
        told = attributes(card)
        assert told["ragate.passed"] is outcomes[key]["passes"]
        assert told["ragate.score"] == pytest.approx(outcomes[key]["scores"]["overall_score"])
    assert {each["passes"] for each in outcomes.values()} >= {False}


def test_a_stage_says_whether_it_passed_with_which_score(scored):
    retrieval, faithful = stages(scored, "retrieval"), stages(scored, "faithful")
    failed = [key for key, each in retrieval.items() if not each["ragate.passed"]]

    assert len(retrieval) == len(faithful) == scored.report["facts"]["samples"]
    assert len(failed) == 1  # it expects what has none of its words
    assert retrieval[failed[0]]["ragate.score"] == 0
    assert faithful[failed[0]]["ragate.stage.stopped"] is True
    assert faithful[failed[0]]["ragate.passed"] is False
    for each in retrieval.values():
        assert each["ragate.stage"] == "retrieval"
        assert each["ragate.metric"] == "recall@5"
        assert each["ragate.stage.required"] is True


def test_spans_and_counts_say_the_same_of_a_stage(scored):
    counts = {
        (seen["ragate.stage"], seen["ragate.state"]): point.as_int
        for seen, point in scored.seen.points("ragate.stages")
    }
    spans: Counter[tuple[str, str]] = Counter()
    for name in ("retrieval", "faithful"):
        for told in stages(scored, name).values():
            # Its metric has a row of its own, which counts it as it was measured.
            passed = told["ragate.passed"] or told["ragate.stage.stopped"]
            spans[name, "passed" if passed else "failed"] += 1

    assert {key: count for key, count in counts.items() if count} == dict(spans)


def test_a_judged_stage_takes_the_time_of_its_judgement(scored):
    judged = {
        attributes(each)["ragate.sample.id"]: each.end_time_unix_nano - each.start_time_unix_nano
        for each in scored.seen.named("ragate.judge")
    }
    cards = {each.span_id: each for each in scored.seen.named("ragate.scorecard")}

    assert judged
    for each in scored.seen.named("ragate.stage faithful"):
        card = cards[each.parent_span_id]
        took = each.end_time_unix_nano - each.start_time_unix_nano
        if (key := attributes(card)["ragate.sample.id"]) in judged:
            assert took == pytest.approx(judged[key], abs=50_000_000)
            assert took > 0
        assert card.start_time_unix_nano <= each.start_time_unix_nano
        assert each.end_time_unix_nano <= card.end_time_unix_nano


def test_tags_are_counted_by_who_passes(scored):
    counts = {
        (seen["ragate.group.kind"], seen["ragate.group.name"], seen["ragate.state"]): point.as_int
        for seen, point in scored.seen.points("ragate.groups")
    }

    for name in ("fruit", "even", "odd"):
        (group,) = [each for each in scored.report["pass_groups"] if each["name"] == name]
        assert counts["tag", name, "passed"] + counts["tag", name, "failed"] == group["share"]["n"]


def test_queues_are_empty_at_the_end_and_their_pace_is_told(scored):
    for queue in ("ragate.sample.queue", "ragate.judge.queue"):
        _, last = scored.seen.points(queue)[-1]
        assert last.as_int == 0
    for pace in ("ragate.sample.pace", "ragate.judge.pace"):
        assert any(point.as_double > 0 for _, point in scored.seen.points(pace))


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_a_pace_is_what_ended_since_the_last_look():
    clock = Clock()
    pace = QueuePace(clock)
    assert pace.rate() is None  # nothing was ever waited for

    for count in (30, 25, 20):
        pace.waiting(count)
    clock.now += 5
    assert pace.rate() == 2.0

    clock.now += 10
    assert pace.rate() == 0.0  # it stands still

    pace.waiting(0)
    clock.now += 10
    assert pace.rate() == 2.0
    assert pace.rate() is None  # no work is no standstill


def test_more_work_in_between_is_not_taken_for_less_done():
    clock = Clock()
    pace = QueuePace(clock)
    for count in (10, 4, 20, 16):
        pace.waiting(count)
    clock.now += 2

    assert pace.rate() == 5.0
