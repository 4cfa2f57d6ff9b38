"""Comment commands as the runner starts them: by whom, for which commit, with which effect."""

from __future__ import annotations

import pytest

from tests.e2e.action.forge import Change, Forge
from tests.e2e.action.talk import judged, replies, say

pytestmark = pytest.mark.e2e


def test_a_rerun_starts_the_run_of_this_commit_again(forge: Forge, red: Change):
    say(forge, f"/ragate rerun {red.head[:7]}")

    assert forge.github.runs[1]["run_attempt"] == 2
    assert "Attempt 2" in replies(forge)[-1]


def test_a_rerun_that_github_refuses_is_told(forge: Forge, red: Change):
    forge.github.fault("POST", "/rerun$", status=403, message="Resource not accessible")

    result = say(forge, f"/ragate rerun {red.head[:7]}")

    assert result.exit_code == 0, result.log
    assert "actions: write" in replies(forge)[-1]
    assert forge.github.runs[1]["run_attempt"] == 1


def test_three_reruns_of_a_red_commit_stay_red(forge: Forge, red: Change):
    for attempt in (2, 3, 4):
        say(forge, f"/ragate rerun {red.head[:7]}")
        assert judged(forge, red, attempt=attempt).exit_code == 1
    assert forge.states(red.head)[-1] == "failure"


def test_help_and_a_wrong_command_tell_the_commands(forge: Forge, red: Change):
    say(forge, "/ragate help")
    say(forge, "/ragate acept everything")

    told, wrong = replies(forge)
    assert "/ragate accept SHA METRIC" in told
    assert "no command" in wrong


def test_run_says_when_nothing_waits(forge: Forge, red: Change):
    result = say(forge, f"/ragate run {red.head[:7]}")

    assert result.exit_code == 0, result.log
    assert "No model request waits" in replies(forge)[-1]
