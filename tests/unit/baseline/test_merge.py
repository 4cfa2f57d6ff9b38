"""Two baselines of one ancestor become one: one side's recording, whole."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragate.baseline import parse_baseline
from ragate.baseline.merge import MergedBaseline, Side, merge_baselines
from ragate.errors import BaselineError
from ragate.models import Acceptance, SystemInfo
from tests.unit.baseline.baseline_factories import recorded_as

BEFORE = {"q1": "one", "q2": "two", "q3": "three"}
OURS, THEIRS = {**BEFORE, "q1": "uno"}, {**BEFORE, "q2": "due"}
ANSWERS = st.dictionaries(st.sampled_from(["q1", "q2", "q3", "q4"]), st.sampled_from("abc"))
SYSTEMS = st.sampled_from(["", "f", "g", "h"])


def system(fingerprint: str) -> SystemInfo:
    return SystemInfo(use="pgvector", fingerprint=fingerprint)


def merged(before: bytes, ours: bytes, theirs: bytes, *, target: Side = "ours") -> MergedBaseline:
    return merge_baselines(before, ours, theirs, name="b.json", target=target)


def of_systems(before: str, ours: str, theirs: str) -> tuple[bytes, bytes, bytes]:
    return (
        recorded_as(BEFORE, system=system(before)),
        recorded_as(OURS, day=2, system=system(ours)),
        recorded_as(THEIRS, day=3, system=system(theirs)),
    )


def rows(content: bytes) -> Any:
    return json.loads(content)["samples"]


@pytest.mark.parametrize("target", ["ours", "theirs"])
@pytest.mark.parametrize(
    ("prints", "side"), [(("f", "g", "f"), "ours"), (("f", "f", "g"), "theirs")]
)
def test_the_side_that_alone_changed_the_system_is_taken_whole(
    prints: tuple[str, str, str], side: Side, target: Side
):
    files = of_systems(*prints)

    both = merged(*files, target=target)

    assert both.taken == side
    assert rows(both.content) == rows(files[1 if side == "ours" else 2])
    assert json.loads(both.content)["system"]["fingerprint"] == "g"


@pytest.mark.parametrize("target", ["ours", "theirs"])
@pytest.mark.parametrize(
    "prints", [("f", "g", "h"), ("f", "g", "g"), ("f", "f", "f"), ("", "", ""), ("f", "g", "")]
)
def test_where_no_side_alone_changed_the_system_the_target_branch_is_taken_whole(
    prints: tuple[str, str, str], target: Side
):
    files = of_systems(*prints)

    both = merged(*files, target=target)

    assert both.taken == target
    assert rows(both.content) == rows(files[1 if target == "ours" else 2])


@given(
    texts=st.tuples(ANSWERS, ANSWERS, ANSWERS),
    others=st.tuples(ANSWERS, ANSWERS, ANSWERS),
    prints=st.tuples(SYSTEMS, SYSTEMS, SYSTEMS),
    target=st.sampled_from(["ours", "theirs"]),
)
def test_no_answer_and_no_score_has_a_say_in_which_side_is_taken(
    texts: tuple[dict[str, str], ...],
    others: tuple[dict[str, str], ...],
    prints: tuple[str, ...],
    target: Side,
):
    """Or the file would be the odd one out, and its means too low."""
    both = [
        merged(
            *(
                recorded_as(answers, day=day, system=system(fingerprint))
                for day, (answers, fingerprint) in enumerate(zip(files, prints, strict=True), 1)
            ),
            target=target,
        )
        for files in (texts, others)
    ]

    sides = {each.taken for each in both if each.taken is not None}
    assert len(sides) < 2
    for files, each in zip((texts, others), both, strict=True):
        if each.taken is not None:
            answers = files[1 if each.taken == "ours" else 2]
            held = {key: one["outputs"][0]["answer"] for key, one in rows(each.content).items()}
            assert held == answers
        parse_baseline(each.content, where="merged")


def test_dates_play_no_part():
    old, ours = recorded_as(BEFORE), recorded_as(OURS, day=2)

    for day in (1, 9):
        assert merged(old, ours, recorded_as(THEIRS, day=day)).taken == "ours"


def test_questions_that_only_the_other_side_recorded_are_named():
    ours = recorded_as({**OURS, "q4": "four"}, day=2)
    theirs = recorded_as({**THEIRS, "q5": "five"}, day=3)

    assert merged(recorded_as(BEFORE), ours, theirs).neither == ("q5",)
    assert merged(recorded_as(BEFORE), ours, theirs, target="theirs").neither == ("q4",)


def test_a_question_that_the_other_side_edited_is_named():
    ours = recorded_as(OURS, day=2)
    data = json.loads(recorded_as(THEIRS, day=3))
    data["samples"]["q3"]["hash"] = "edited"

    both = merged(recorded_as(BEFORE), ours, json.dumps(data).encode())

    assert both.neither == ("q3",)
    assert json.loads(both.content)["merged"]["neither"] == ["q3"]


def test_a_question_that_the_other_side_only_removed_is_not_named():
    assert (
        merged(recorded_as(BEFORE), recorded_as(OURS, day=2), recorded_as({}, day=3)).neither == ()
    )


def test_both_recordings_are_noted_and_the_one_taken_stands_at_the_head():
    old, ours, theirs = recorded_as(BEFORE), recorded_as(OURS, day=3), recorded_as(THEIRS, day=2)

    data = json.loads(merged(old, ours, theirs).content)

    assert [one["date"] for one in data["merged"]["recordings"]] == ["2026-01-02", "2026-01-03"]
    assert data["recorded"]["commit"] == "3" * 40


def test_a_merge_of_a_merge_notes_all_recordings_and_what_is_lacking_still():
    old = recorded_as(BEFORE)
    first = merged(old, recorded_as(OURS, day=2), recorded_as({**THEIRS, "q5": "five"}, day=3))

    data = json.loads(
        merged(old, first.content, recorded_as({**BEFORE, "q3": "tre"}, day=4)).content
    )

    assert [one["date"][-1] for one in data["merged"]["recordings"]] == ["2", "3", "4"]
    assert data["merged"]["neither"] == ["q5"]


def test_what_was_accepted_on_either_side_stays_accepted():
    ours, theirs = (
        Acceptance(metric=metric, commit="c" * 40, by="ada", reason="known")
        for metric in ("mrr", "token_f1")
    )

    data = json.loads(
        merged(
            recorded_as(BEFORE),
            recorded_as(OURS, day=2, accepted=(ours,)),
            recorded_as(THEIRS, day=3, accepted=(ours, theirs)),
        ).content
    )

    assert [row["metric"] for row in data["accepted"]] == ["mrr", "token_f1"]


def test_sides_that_were_measured_otherwise_merge_too_since_one_is_whole():
    ours, theirs = recorded_as(OURS, day=2, judge="a"), recorded_as(THEIRS, day=3, judge="b")

    assert json.loads(merged(recorded_as(BEFORE), ours, theirs).content)["judge"] == "a"


@pytest.mark.parametrize("ours_is_old", [True, False])
def test_one_side_that_did_not_change_leaves_the_other_as_it_is(ours_is_old: bool):
    old, new = recorded_as(BEFORE), recorded_as(OURS, day=2)
    sides = (old, new) if ours_is_old else (new, old)

    assert merged(old, *sides, target="theirs").content == new


def test_two_sides_without_an_ancestor_are_the_target_branchs():
    assert merged(b"", recorded_as(OURS), recorded_as(THEIRS), target="theirs").taken == "theirs"


@pytest.mark.parametrize("side", ["before", "ours", "theirs"])
@pytest.mark.parametrize("content", [b"<<<<<<< HEAD\n", b"{", b'{"schema_version": 99}', b"[]"])
def test_a_side_that_cannot_be_read_is_named(side: str, content: bytes):
    sides = {
        "before": recorded_as(BEFORE),
        "ours": recorded_as(OURS, day=2),
        "theirs": recorded_as(THEIRS, day=3),
    }
    sides[side] = content

    with pytest.raises(BaselineError, match=rf"b\.json \({side}\)"):
        merged(sides["before"], sides["ours"], sides["theirs"])
