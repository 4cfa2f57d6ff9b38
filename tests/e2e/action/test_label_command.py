"""Labels of a review that a maintainer gives in a comment."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from ragate.contrib.labels.labels import read_given_labels
from ragate.contrib.labels.review_label import ReviewLabel
from tests.e2e.action.forge import Change, Forge, outputs, recorded_project
from tests.e2e.action.talk import judged, replies, say
from tests.servers.github_stub import github_stub

pytestmark = pytest.mark.e2e


class Moving(dict[int, Any]):
    """Pull requests whose head is another one when it is asked for again."""

    def __init__(self, pulls: Mapping[int, Any], moved: str) -> None:
        super().__init__(pulls)
        self.moved, self.asked = moved, 0

    def get(self, number: int, default: Any = None) -> Any:
        self.asked += 1
        pull = super().get(number, default)
        return pull if self.asked == 1 else {**pull, "head": {**pull["head"], "sha": self.moved}}


def labels(reply: str) -> list[ReviewLabel]:
    return read_given_labels("reply", reply.encode())


def test_fine_replies_with_labels_of_both_outputs_and_writes_nothing_else(
    forge: Forge, red: Change
):
    before = len(forge.github.writes())

    result = say(forge, f'/ragate fine {red.head[:7]} q3 `q4` "the pages were merged"')

    assert result.exit_code == 0, result.log
    reply = replies(forge)[-1]
    first, second = labels(reply)
    assert (first.id, second.id) == ("q3", "q4")
    assert (first.verdict, first.reason) == ("same", "the pages were merged")
    assert (first.who, first.gate, first.commit) == ("octocat", "gate", red.head)
    assert first.before != first.after
    assert "review-labels.jsonl" in reply
    assert len(forge.github.writes()) == before + 1  # the reply


def test_worse_says_so_and_no_label_changes_the_verdict(forge: Forge, red: Change):
    states = forge.states(red.head)

    say(forge, f'/ragate worse {red.head[:7]} q3 "no value at all"')

    assert [label.verdict for label in labels(replies(forge)[-1])] == ["worse"]
    assert forge.states(red.head) == states
    assert judged(forge, red, attempt=2).exit_code == 1


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("q3 nowhere", "no sample &#x27;nowhere&#x27; in this run"),
        ("q3 q20", "nothing changed"),
    ],
)
def test_a_sample_that_cannot_be_labelled_is_named_and_none_is_labelled(
    forge: Forge, red: Change, words: str, told: str
):
    result = say(forge, f'/ragate fine {red.head[:7]} {words} "it is fine"')

    assert result.exit_code == 0, result.log
    assert told in replies(forge)[-1]
    assert "jsonl" not in replies(forge)[-1]


@pytest.mark.parametrize("permission", ["read", "triage"])
def test_a_reader_labels_nothing(forge: Forge, red: Change, permission: str):
    forge.github.permissions["reader"] = permission
    before = len(forge.github.writes())

    say(forge, f'/ragate fine {red.head[:7]} q3 "it is fine"', login="reader")

    assert len(forge.github.writes()) == before


def test_another_commit_than_the_head_is_labelled_by_nobody(forge: Forge, red: Change):
    say(forge, '/ragate fine c0ffee0 q3 "it is fine"')

    assert "nothing done" in replies(forge)[-1]


def test_a_head_that_moves_meanwhile_is_not_labelled(forge: Forge, red: Change):
    moved = forge.github.commit({"x": b"x"}, parents=[red.head])
    forge.github.pulls = Moving(forge.github.pulls, moved)

    say(forge, f'/ragate fine {red.head[:7]} q3 "it is fine"')

    assert "nothing is labelled" in replies(forge)[-1]


def test_texts_that_stay_at_home_stand_in_no_reply(tmp_path: Path):
    with github_stub(tmp_path / "github") as github:
        forge = Forge(github, tmp_path)
        forge.start(recorded_project(tmp_path / "project", policy='publish = "ids"'))
        change = forge.change(outputs(broken=range(12)))
        forge.github.git.move("change", change.head)
        judged(forge, change)

        say(forge, f'/ragate fine {change.head[:7]} q3 "it is fine"')

        reply = replies(forge)[-1]
    assert [label.id for label in labels(reply)] == ["q3"]
    for text in ("What is the value", "apples", "No idea", "Else."):
        assert text not in reply


def test_a_reason_cannot_leave_its_block(forge: Forge, red: Change):
    say(forge, f'/ragate fine {red.head[:7]} q3 "```<img src=x> @team &amp;"')

    reply = replies(forge)[-1]
    assert labels(reply)[0].reason == "```<img src=x> @team &amp;"
    assert reply.count("```") == 2
    assert "<img" not in reply
    assert "@team" not in reply
