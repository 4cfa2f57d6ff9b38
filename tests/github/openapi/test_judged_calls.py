"""Every call of the action and every answer of the stub, judged by GitHub's own description."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from ragate.github.publish.comment import StickyComment
from ragate.github.rest.api import Api, GitHubApiError
from ragate.github.rest.repository import BOT, Repository, login_of
from ragate.renderers.markdown import marker
from tests.servers.github_stub import TOKEN, Account, GitHub

pytestmark = [pytest.mark.integration, pytest.mark.openapi]


@dataclass(frozen=True)
class World:
    """A repository with a pull request, a run and its artifact."""

    github: GitHub
    repository: Repository
    base: str
    head: str
    comment: int


@pytest.fixture(scope="session")
def world(judged_github: GitHub) -> Iterator[World]:
    github = judged_github
    github.accounts["ghp_personal"] = Account("octocat", "User", asks_who=True)
    base = github.commit({"ragate.toml": b"[policy]\n", "docs/a.md": b"# A\n"}, branch="main")
    head = github.commit({"docs/a.md": b"# B\n"}, parents=[base], branch="change")
    github.add_pull(7, head=head, base=base)
    github.add_run(42, head_sha=head)
    github.add_artifact(42, "ragate-docs", {"result.json": b"{}"})
    comment = github.add_comment(7, "hello")
    with Api(github.url, TOKEN, sleep=lambda _: None) as api:
        yield World(github, Repository(api, github.name), base, head, comment["id"])


CALLS: dict[str, Callable[[World], Any]] = {
    "comments": lambda w: w.repository.comments(7),
    "create_comment": lambda w: w.repository.create_comment(7, "text"),
    "update_comment": lambda w: w.repository.update_comment(w.comment, "text"),
    "delete_comment": lambda w: w.repository.delete_comment(w.github.add_comment(8, "x")["id"]),
    "set_status": lambda w: w.repository.set_status(
        w.head, "pending", "ragate/docs", "judging", "https://github.com/o/r/actions/runs/42"
    ),
    "statuses": lambda w: w.repository.statuses(w.head),
    "permission": lambda w: w.repository.permission("octocat"),
    "pull": lambda w: w.repository.pull(7),
    "pulls_of": lambda w: w.repository.pulls_of("octo-org:change"),
    "pull_commits": lambda w: w.repository.pull_commits(7),
    "open_pulls": lambda w: w.repository.open_pulls(),
    "is_ancestor": lambda w: w.repository.is_ancestor(w.base, w.head),
    "create_pull": lambda w: w.repository.create_pull("Title", "change", "main", "Body"),
    "compare_files": lambda w: w.repository.compare_files(w.base, w.head),
    "commit": lambda w: w.repository.commit(w.head),
    "contents": lambda w: w.repository.contents("docs/a.md", w.head),
    "tree": lambda w: w.repository.tree(w.head),
    "create_blob": lambda w: w.repository.create_blob(b"\x00\xff"),
    "create_tree": lambda w: w.repository.create_tree(
        w.repository.commit(w.head).tree, {"b.md": w.repository.create_blob(b"b")}
    ),
    "create_commit": lambda w: w.repository.create_commit(
        "record", w.repository.commit(w.head).tree, [w.head]
    ),
    "branch_sha": lambda w: w.repository.branch_sha("main"),
    "create_branch": lambda w: w.repository.create_branch("ragate/baseline", w.base),
    "update_branch": lambda w: w.repository.update_branch("main", w.head),
    "ref_sha": lambda w: w.repository.ref_sha("heads/main"),
    "set_ref": lambda w: _set_twice(w),
    "pulls_of_commit": lambda w: w.repository.pulls_of_commit(w.head),
    "run": lambda w: w.repository.run(42),
    "runs_of": lambda w: w.repository.runs_of(w.head),
    "run_artifacts": lambda w: w.repository.run_artifacts(42),
    "download_artifact": lambda w: _expired(w),
    "rerun": lambda w: w.repository.rerun(42),
}


def _expired(world: World) -> None:
    """The proxy follows redirects, so that of this call's answers it can judge the refusal only."""
    made = world.github.add_artifact(42, "ragate-old", {"result.json": b"{}"})
    world.github.artifacts[made]["expired"] = True
    with pytest.raises(GitHubApiError, match="410 Artifact has expired"):
        world.repository.download_artifact(made)


def _set_twice(world: World) -> None:
    """Made the first time, moved the second time."""
    for sha in (world.base, world.head):
        world.repository.set_ref("ragate/docs/x", sha)
        assert world.repository.ref_sha("ragate/docs/x") == sha


def test_no_call_of_the_repository_is_left_out() -> None:
    public = {name for name, _ in inspect.getmembers(Repository, inspect.isfunction)}

    assert set(CALLS) == {name for name in public if not name.startswith("_")}


@pytest.mark.parametrize("name", CALLS)
def test_a_call_and_its_answer_are_as_github_describes_them(world: World, name: str) -> None:
    CALLS[name](world)


def test_what_the_judged_calls_read_is_what_is_there(world: World) -> None:
    repository = world.repository

    assert repository.contents("docs/a.md", world.base) == b"# A\n"
    assert repository.contents("docs/none.md", world.base) is None
    assert repository.commit(world.head).parents == (world.base,)
    assert repository.permission("stranger") == "none"
    assert repository.branch_sha("none") == ""
    assert [one["path"] for one in repository.tree(world.base)] == [
        "docs", "docs/a.md", "ragate.toml",
    ]  # fmt: skip


def test_whose_token_it_is_is_asked_as_github_describes_it(world: World) -> None:
    assert login_of(world.repository.api) == BOT
    with Api(world.github.url, "ghp_personal") as person:
        assert login_of(person) == "octocat"


def test_the_sticky_comment_lives_on_judged_calls_over_several_pages(world: World) -> None:
    for _ in range(120):
        world.github.add_comment(9, "talk")
    sticky = StickyComment(world.repository, 9, "docs")

    first = sticky.publish(f"{marker('docs', world.base)}\n<h3>one</h3>\n")
    sticky.outdated(world.head)
    second = sticky.publish(f"{marker('docs', world.head)}\n<h3>two</h3>\n")

    assert first == second
    assert len(world.github.comments[9]) == 121


def test_a_request_that_github_would_refuse_is_refused(world: World) -> None:
    with pytest.raises(GitHubApiError, match="422"):
        world.repository.api.post(f"/repos/{world.github.name}/statuses/{world.head}", {"state": 1})


def test_an_answer_that_github_would_not_give_is_refused(world: World) -> None:
    made = world.github.add_comment(10, "hello")
    made["html_url"] = 5

    with pytest.raises(GitHubApiError):
        world.repository.comments(10)


def test_a_call_that_github_does_not_know_is_refused(world: World) -> None:
    with pytest.raises(GitHubApiError, match="404"):
        world.repository.api.get(f"/repos/{world.github.name}/issues/9/remarks")
