"""Which test merge of a pull request is believed, and how long a newer one is waited for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from ragate.github.commits.change import WAITS_S, Base, Change, open_pull
from ragate.github.commits.commit_tree import BaseUnreadableError, Commits
from ragate.github.rest.api import Api, GitHubApiError
from ragate.github.rest.repository import Repository
from tests.servers.github.state import Json
from tests.servers.github_stub import GitHub

pytestmark = pytest.mark.integration


@dataclass
class Merging:
    """A pull request of one head, and what happens while somebody waits for its merge."""

    github: GitHub
    repository: Repository
    base: str
    head: str
    pull: Json
    waits: list[float] = field(default_factory=list)
    meanwhile: Callable[[], None] = lambda: None

    def merge(self, parent: str, head: str = "") -> str:
        return self.github.commit({}, parents=[parent, head or self.head], message="merge")

    def onto(self, tip: str, merged: str) -> Change:
        base = Base(tip, self.head, merged, trusted=False)
        return Change(base, "main", Commits(None, self.repository), 7)

    def read(self) -> Change | None:
        def sleep(seconds: float) -> None:
            self.waits.append(seconds)
            self.meanwhile()

        return open_pull(self.repository, 7, self.head, sleep=sleep)


@pytest.fixture
def merging(github: GitHub, api: Api) -> Merging:
    base = github.commit({"a": b"a"}, branch="main")
    head = github.commit({"b": b"b"}, parents=[base])
    pull = github.add_pull(7, head=head, base=base, head_repository="stranger/handbook")
    return Merging(github, Repository(api, github.name), base, head, pull)


def test_a_merge_with_the_tip_is_taken_at_once(merging: Merging) -> None:
    merged = merging.pull["merge_commit_sha"] = merging.merge(merging.base)

    assert merging.read() == merging.onto(merging.base, merged)
    assert merging.waits == []


def test_a_merge_with_another_branch_is_read_again_until_it_is_with_the_base(
    merging: Merging,
) -> None:
    other = merging.github.commit({"ragate.toml": b"weak"}, parents=[merging.base], branch="weak")
    merging.pull["merge_commit_sha"] = merging.merge(other)
    fresh = merging.merge(merging.base)
    merging.meanwhile = lambda: merging.pull.update(merge_commit_sha=fresh)

    assert merging.read() == merging.onto(merging.base, fresh)
    assert merging.waits == [WAITS_S[0]]


@pytest.mark.parametrize("stale", [None, "weak", "other head"])
def test_a_merge_that_stays_stale_or_absent_is_not_used(
    merging: Merging, stale: str | None
) -> None:
    weak = merging.github.commit({"weak": b""}, parents=[merging.base], branch="weak")
    merges = {
        None: None,
        "weak": merging.merge(weak),
        "other head": merging.merge(merging.base, head=weak),
    }
    merging.pull["merge_commit_sha"] = merges[stale]

    assert merging.read() == merging.onto(merging.base, "")
    assert merging.waits == list(WAITS_S)


def test_a_merge_with_an_older_commit_of_the_base_is_taken_in_the_end(merging: Merging) -> None:
    merged = merging.pull["merge_commit_sha"] = merging.merge(merging.base)
    tip = merging.github.commit({"c": b"c"}, parents=[merging.base])
    merging.github.git.move("main", tip, merging.base)

    assert merging.read() == merging.onto(tip, merged)
    assert merging.waits == list(WAITS_S)


def test_a_merge_with_a_branch_of_another_history_is_not_used(merging: Merging) -> None:
    pages = merging.github.commit({"index.html": b""}, branch="gh-pages")
    merging.pull |= {"merge_commit_sha": merging.merge(pages), "mergeable": False}

    assert merging.read() == merging.onto(merging.base, "")
    assert merging.waits == []  # in conflict: no newer merge is under way


@pytest.mark.parametrize("change", [{"state": "closed"}, {"head": {"sha": "0" * 40}}])
def test_a_pull_request_that_has_moved_on_is_none(merging: Merging, change: Json) -> None:
    merging.pull |= change

    assert merging.read() is None


def test_a_base_without_a_branch_and_a_comparison_that_fails_are_errors(merging: Merging) -> None:
    merging.pull["merge_commit_sha"] = merging.merge(merging.base)
    tip = merging.github.commit({"c": b"c"}, parents=[merging.base])
    merging.github.git.move("main", tip, merging.base)
    merging.github.fault("GET", "/compare/", status=500, times=99)
    with pytest.raises(GitHubApiError):
        merging.read()

    merging.pull["base"]["ref"] = "gone"
    with pytest.raises(BaseUnreadableError, match="'gone' cannot be read"):
        merging.read()
