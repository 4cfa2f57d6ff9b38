"""Metrics with a table of the golden set: claimed after a merge only where they are true."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragate.baseline import merge_baselines, parse_baseline
from tests.unit.baseline.tabled_recordings import ANSWERS, GOLDEN, recorded_on

Side = tuple[dict[str, str], dict[str, str]]
GROWN: Side = ({**GOLDEN, "q4": "Rome is old"}, {**ANSWERS, "q4": "Rome is very old"})
ALSO_GROWN: Side = ({**GOLDEN, "q5": "plums are blue"}, {**ANSWERS, "q5": "blue"})
FEWER: Side = ({key: GOLDEN[key] for key in ("q1", "q2")}, ANSWERS)
EDITED: Side = ({**GOLDEN, "q3": "apples are green"}, ANSWERS)
ANSWERED: Side = (GOLDEN, {**ANSWERS, "q2": "Rome, of course"})
TEXTS = st.sampled_from(["a b", "a c", "b c d", "c", "d a"])
SIDES = st.dictionaries(st.sampled_from(["q1", "q2", "q3", "q4"]), st.tuples(TEXTS, TEXTS))


def merged(ours: Side, theirs: Side, before: Side = (GOLDEN, ANSWERS)) -> Any:
    files = [recorded_on(*side, day=day) for day, side in enumerate((before, ours, theirs), 1)]
    return json.loads(merge_baselines(*files, name="b.json").content)


def scores(data: Any, metric: str) -> dict[str, Any]:
    samples = data["samples"].items()
    return {key: sample["outputs"][0]["scores"].get(metric) for key, sample in samples}


@pytest.mark.parametrize("theirs", [ALSO_GROWN, FEWER, EDITED, ANSWERED])
def test_where_the_golden_set_is_of_neither_side_the_metric_is_left_out_and_named(theirs: Side):
    data = merged(GROWN, theirs)

    assert data["merged"]["unmeasured"] == ["idf_f1"]
    assert set(data["metrics"]) == {"token_f1"}
    assert data["states"] == {}
    assert set(scores(data, "idf_f1").values()) == {None}
    assert None not in scores(data, "token_f1").values()
    assert data["merged"]["neither"] == []


def test_what_the_other_side_only_recorded_again_leaves_the_table_as_it_was_fitted():
    data = merged(GROWN, (GOLDEN, ANSWERS))

    alone = json.loads(recorded_on(*GROWN))
    assert data["states"] == alone["states"]
    assert scores(data, "idf_f1") == scores(alone, "idf_f1")
    assert "unmeasured" not in data["merged"]


def test_answers_alone_that_changed_on_both_sides_leave_the_table_as_it_is():
    data = merged(ANSWERED, (GOLDEN, {**ANSWERS, "q1": "Paris"}))

    both = recorded_on(GOLDEN, {**ANSWERED[1], "q1": "Paris"})
    assert scores(data, "idf_f1") == scores(json.loads(both), "idf_f1")
    assert "unmeasured" not in data["merged"]


def test_equal_tables_of_two_golden_sets_that_grew_are_no_table_of_both():
    ours = ({**GOLDEN, "q4": "plums are blue"}, {**ANSWERS, "q4": "blue"})
    theirs = ({**GOLDEN, "q5": "plums are blue"}, {**ANSWERS, "q5": "blue"})

    files = [json.loads(recorded_on(*side)) for side in (ours, theirs)]
    assert files[0]["states"] == files[1]["states"]
    assert merged(ours, theirs)["merged"]["unmeasured"] == ["idf_f1"]


def test_a_merge_of_a_merge_leaves_it_out_as_well():
    before = recorded_on(GOLDEN, ANSWERS)
    sides = [recorded_on(*side, day=day) for day, side in enumerate((GROWN, ALSO_GROWN, EDITED), 2)]
    first = merge_baselines(before, sides[0], sides[1], name="b.json").content

    for ours, theirs in ((first, sides[2]), (sides[2], first)):
        data = json.loads(merge_baselines(before, ours, theirs, name="b.json").content)
        assert data["merged"]["unmeasured"] == ["idf_f1"]
        assert set(data["metrics"]) == {"token_f1"}
        assert set(data["samples"]) == {"q1", "q2", "q3", "q4", "q5"}


def test_a_recording_of_the_merged_tree_brings_it_back_whatever_the_merge_lacked():
    before, ours, theirs = (
        recorded_on(*side, day=day)
        for day, side in enumerate(((GOLDEN, ANSWERS), GROWN, ALSO_GROWN), 1)
    )
    lacking = merge_baselines(before, ours, theirs, name="b.json").content
    tree = ({**GROWN[0], **ALSO_GROWN[0]}, {**GROWN[1], **ALSO_GROWN[1]})

    data = json.loads(
        merge_baselines(before, lacking, recorded_on(*tree, day=4), name="b.json").content
    )

    assert data["states"] == json.loads(recorded_on(*tree))["states"]
    assert "unmeasured" not in data["merged"]


@given(before=SIDES, ours=SIDES, theirs=SIDES)
def test_every_score_that_is_claimed_is_that_of_a_recording_of_the_merged_tree(
    before: dict[str, tuple[str, str]],
    ours: dict[str, tuple[str, str]],
    theirs: dict[str, tuple[str, str]],
):
    sides = [
        ({k: v[0] for k, v in side.items()}, {k: v[1] for k, v in side.items()})
        for side in (before, ours, theirs)
    ]
    files = [recorded_on(*side, day=day) for day, side in enumerate(sides, 1)]

    both = merge_baselines(*files, name="b.json")

    parse_baseline(both.content, where="merged")
    swapped = merge_baselines(files[0], files[2], files[1], name="b.json")
    assert both.content == swapped.content
    data = json.loads(both.content)
    claimed = scores(data, "idf_f1")
    if "idf_f1" not in data["metrics"]:
        assert set(claimed.values()) <= {None}
        return
    answers = {key: one["outputs"][0]["answer"] for key, one in data["samples"].items()}
    golden = {}
    for key in {*sides[1][0], *sides[2][0]}:
        old, a, b = (side[0].get(key) for side in sides)
        if (text := b if a == old else a) is not None:
            golden[key] = text
    tree = json.loads(recorded_on(golden, {key: answers.get(key, "") for key in golden}))
    assert data["states"] == tree["states"]
    assert claimed == {key: scores(tree, "idf_f1")[key] for key in claimed}


@pytest.mark.parametrize(
    "edit",
    [
        lambda data: data.pop("samples"),
        lambda data: data.update(merged=None),
        lambda data: data["merged"]["recordings"][0].pop("date"),
    ],
    ids=["no samples", "merged is null", "a recording without a date"],
)
def test_what_a_hand_left_out_is_read_as_anywhere_else(edit: Callable[[dict[str, Any]], object]):
    before, ours = recorded_on(GOLDEN, ANSWERS), recorded_on(*ANSWERED, day=2)
    other = recorded_on(GOLDEN, {**ANSWERS, "q1": "Paris"}, day=3)
    data = json.loads(merge_baselines(before, ours, other, name="b.json").content)
    edit(data)

    both = merge_baselines(before, json.dumps(data).encode(), ours, name="b.json")

    parse_baseline(both.content, where="merged")
