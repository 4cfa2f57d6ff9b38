"""Who may command, and what a comment is answered."""

from __future__ import annotations

import pytest

from tests.e2e.action.command_projects import accept
from tests.e2e.action.forge import Change, Forge
from tests.e2e.action.talk import replies, say

pytestmark = pytest.mark.e2e


@pytest.mark.parametrize("permission", ["read", "triage", None])
def test_a_reader_changes_nothing(forge: Forge, red: Change, permission: str | None):
    if permission:
        forge.github.permissions["reader"] = permission
    before = len(forge.github.writes())

    result = say(forge, accept(red), login="reader")

    assert result.exit_code == 0
    assert len(forge.github.writes()) == before
    assert forge.states(red.head)[-1] == "failure"


@pytest.mark.parametrize("status", [404, 500, 503])
def test_when_the_api_cannot_tell_who_may_nothing_is_done(forge: Forge, red: Change, status: int):
    forge.github.fault("GET", "/permission$", status=status, times=9)
    before = len(forge.github.writes())

    result = say(forge, accept(red))

    assert result.exit_code == (0 if status == 404 else 3)
    assert len(forge.github.writes()) == before


def test_a_quoted_command_does_nothing(forge: Forge, red: Change):
    before = len(forge.github.writes())

    say(forge, f"> {accept(red)}")

    assert len(forge.github.writes()) == before


def test_an_edited_comment_and_a_bot_do_nothing(forge: Forge, red: Change):
    before = len(forge.github.writes())
    forge.github.permissions["helper[bot]"] = "admin"

    say(forge, accept(red), action="edited")
    say(forge, accept(red), login="helper[bot]")

    assert len(forge.github.writes()) == before


def test_another_commit_than_the_head_is_told_and_left_alone(forge: Forge, red: Change):
    say(forge, '/ragate accept c0ffee0 hit_rate@5 "looks fine"')

    (reply,) = replies(forge)
    assert "nothing done" in reply
    assert forge.states(red.head)[-1] == "failure"
