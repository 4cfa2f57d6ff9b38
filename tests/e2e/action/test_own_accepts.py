"""``accept_own``: the base's policy says whether the authors of a change may accept its drops."""

from __future__ import annotations

import pytest

from tests.e2e.action.forge import Change, Forge, outputs
from tests.e2e.action.main_projects import entry_of, merged
from tests.e2e.action.talk import judged, replies, say

pytestmark = pytest.mark.e2e
ACCEPT = '/ragate accept {} hit_rate@5 token_f1 "the pages were merged"'


@pytest.fixture(scope="module")
def judged_red(earlier: Forge) -> Change:
    """A red pull request of octocat's, where nobody may accept their own."""
    text = earlier.github.git.read(entry_of(earlier, "ragate.toml"))
    strict = text.replace(b"[policy]\n", b"[policy]\naccept_own = false\n", 1)
    earlier.base = merged(earlier, {"ragate.toml": strict})
    earlier.github.permissions |= {"mona": "write", "hubot": "admin"}
    change = earlier.change(outputs(broken=range(12)))
    assert judged(earlier, change).exit_code == 1
    return change


def test_who_opened_the_pull_request_cannot_accept_its_drop(forge: Forge, red: Change) -> None:
    result = say(forge, ACCEPT.format(red.head[:7]), login="octocat")

    assert result.exit_code == 0, result.raw_log
    assert "accept_own = false" in replies(forge)[-1]
    assert forge.states(red.head)[-1] == "failure"
    assert judged(forge, red, attempt=2).exit_code == 1


def test_somebody_else_can(forge: Forge, red: Change) -> None:
    assert say(forge, ACCEPT.format(red.head[:7]), login="mona").outputs["verdict"] == "passed"
    assert judged(forge, red, attempt=2).exit_code == 0


def test_who_wrote_a_commit_of_it_cannot_either(forge: Forge, red: Change) -> None:
    forge.github.authors[red.head] = "mona"

    say(forge, ACCEPT.format(red.head[:7]), login="mona")

    assert "somebody else has to accept" in replies(forge)[-1]
    assert forge.states(red.head)[-1] == "failure"
    assert say(forge, ACCEPT.format(red.head[:7]), login="hubot").outputs["verdict"] == "passed"


def test_an_accept_lapses_when_its_giver_becomes_an_author(forge: Forge, red: Change) -> None:
    assert say(forge, ACCEPT.format(red.head[:7]), login="mona").outputs["verdict"] == "passed"
    forge.github.authors[red.head] = "mona"

    assert judged(forge, red, attempt=2).exit_code == 1


def test_a_change_cannot_switch_the_rule_off_for_itself(forge: Forge, red: Change) -> None:
    text = forge.github.git.run("show", f"{forge.base}:ragate.toml")
    lax = text.replace(b"accept_own = false\n", b"accept_own = true\n")
    change = forge.change({**outputs(broken=range(12)), "ragate.toml": lax})
    assert judged(forge, change, run_id=2).exit_code == 1

    say(forge, ACCEPT.format(change.head[:7]), login="octocat")

    assert forge.states(change.head)[-1] == "failure"


def test_where_the_authors_cannot_be_read_nothing_is_accepted(forge: Forge, red: Change) -> None:
    forge.github.fault("GET", "/pulls/7/commits$", status=500, times=9)

    assert say(forge, ACCEPT.format(red.head[:7]), login="mona").exit_code == 3
    assert forge.states(red.head)[-1] == "failure"


def test_where_more_commits_are_than_github_lists_nothing_is_accepted(
    forge: Forge, red: Change
) -> None:
    git, last = forge.github.git, forge.base
    for number in range(250):
        last = git.commit(git.tree_of(forge.base), [last], f"commit {number}")
    red.pull["head"]["sha"] = head = git.commit(git.tree_of(red.head), [last], "of mona's")
    red.merge = red.pull["merge_commit_sha"] = git.commit(git.tree_of(head), [red.base, head])
    red.head, forge.github.authors[head] = head, "mona"
    assert judged(forge, red, run_id=2).exit_code == 1

    assert say(forge, ACCEPT.format(head[:7]), login="hubot").exit_code == 0
    assert "has 250 commits or more" in replies(forge)[-1]
    assert "squash its commits" in replies(forge)[-1]
    assert forge.states(head)[-1] == "failure"
