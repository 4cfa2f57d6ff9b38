"""Two baselines of one ancestor become one, sample by sample."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragate.baseline import merge_baselines, parse_baseline
from ragate.errors import BaselineError
from tests.unit.baseline.baseline_factories import recorded_as

BEFORE = {"q1": "one", "q2": "two", "q3": "three"}
ANSWERS = st.dictionaries(st.sampled_from(["q1", "q2", "q3", "q4"]), st.sampled_from("abc"))


def merged(before: bytes, ours: bytes, theirs: bytes) -> Any:
    return json.loads(merge_baselines(before, ours, theirs, name="b.json").content)


def answers(data: Any) -> dict[str, str]:
    return {key: sample["outputs"][0]["answer"] for key, sample in data["samples"].items()}


def test_what_one_side_changed_added_or_removed_is_taken():
    ours = recorded_as({**BEFORE, "q1": "uno", "q4": "four"}, day=2)
    theirs = recorded_as({"q1": "one", "q2": "zwei"}, day=3)

    both = merge_baselines(recorded_as(BEFORE), ours, theirs, name="b.json")

    assert answers(json.loads(both.content)) == {"q1": "uno", "q2": "zwei", "q4": "four"}
    assert (both.ours, both.theirs, both.neither) == (2, 2, ())


def test_what_both_changed_is_taken_from_neither_and_named():
    ours = recorded_as({**BEFORE, "q2": "zwei"}, day=2)
    theirs = recorded_as({**BEFORE, "q2": "due", "q3": "tre"}, day=3)

    data = merged(recorded_as(BEFORE), ours, theirs)

    assert answers(data) == {"q1": "one", "q3": "tre"}
    assert data["merged"]["neither"] == ["q2"]


def test_what_one_side_removed_and_the_other_changed_is_in_neither():
    ours = recorded_as({"q1": "one", "q3": "three"}, day=2)
    theirs = recorded_as({**BEFORE, "q2": "due"}, day=3)

    assert merged(recorded_as(BEFORE), ours, theirs)["merged"]["neither"] == ["q2"]


def test_what_both_changed_alike_is_taken():
    ours = recorded_as({**BEFORE, "q2": "zwei", "q1": "uno"}, day=2)
    theirs = recorded_as({**BEFORE, "q2": "zwei"}, day=3)

    assert answers(merged(recorded_as(BEFORE), ours, theirs))["q2"] == "zwei"


def test_both_recordings_are_noted_and_the_newer_one_stands_at_the_head():
    ours = recorded_as({**BEFORE, "q1": "uno"}, day=3)
    theirs = recorded_as({**BEFORE, "q2": "due"}, day=2)

    data = merged(recorded_as(BEFORE), ours, theirs)

    assert [one["date"] for one in data["merged"]["recordings"]] == ["2026-01-02", "2026-01-03"]
    assert data["recorded"]["commit"] == "3" * 40


def test_a_merge_of_a_merge_notes_all_recordings():
    old = recorded_as(BEFORE)
    first = merge_baselines(
        old,
        recorded_as({**BEFORE, "q1": "uno"}, day=2),
        recorded_as({**BEFORE, "q2": "due"}, day=3),
        name="b.json",
    ).content

    data = merged(old, first, recorded_as({**BEFORE, "q3": "tre"}, day=4))

    assert [one["date"][-1] for one in data["merged"]["recordings"]] == ["2", "3", "4"]
    assert answers(data) == {"q1": "uno", "q2": "due", "q3": "tre"}


def test_two_sides_without_an_ancestor_keep_what_they_hold_alike_or_alone():
    ours, theirs = recorded_as({"q1": "one", "q2": "two"}), recorded_as({"q1": "one", "q3": "x"})

    assert answers(merged(b"", ours, theirs)) == {"q1": "one", "q2": "two", "q3": "x"}


@pytest.mark.parametrize("ours_is_old", [True, False])
def test_one_side_that_did_not_change_leaves_the_other_as_it_is(ours_is_old: bool):
    old, new = recorded_as(BEFORE), recorded_as({**BEFORE, "q1": "uno"}, day=2)
    sides = (old, new) if ours_is_old else (new, old)

    assert merge_baselines(old, *sides, name="b.json").content == new


@given(before=ANSWERS, ours=ANSWERS, theirs=ANSWERS)
def test_the_sides_may_change_places_and_nothing_is_invented(
    before: dict[str, str], ours: dict[str, str], theirs: dict[str, str]
):
    files = [recorded_as(side, day=day) for day, side in enumerate((before, ours, theirs), 1)]

    both = merge_baselines(*files, name="b.json")

    assert both.content == merge_baselines(files[0], files[2], files[1], name="b.json").content
    taken = answers(json.loads(both.content))
    for key in {*before, *ours, *theirs}:
        old, a, b = before.get(key), ours.get(key), theirs.get(key)
        fair = b if a == old else a if b == old or a == b else None
        assert taken.get(key) == fair
        assert (key in both.neither) == (a != old and b != old and a != b)
    parse_baseline(both.content, where="merged")


@pytest.mark.parametrize("side", ["before", "ours", "theirs"])
@pytest.mark.parametrize("content", [b"<<<<<<< HEAD\n", b"{", b'{"schema_version": 99}', b"[]"])
def test_a_side_that_cannot_be_read_is_named(side: str, content: bytes):
    sides = {
        "before": recorded_as(BEFORE),
        "ours": recorded_as({**BEFORE, "q1": "uno"}, day=2),
        "theirs": recorded_as({**BEFORE, "q2": "due"}, day=3),
    }
    sides[side] = content

    with pytest.raises(BaselineError, match=rf"b\.json \({side}\)"):
        merge_baselines(*sides.values(), name="b.json")
