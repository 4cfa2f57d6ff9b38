"""Whether the branch that a verdict was made for still decides when it is to be told."""

from __future__ import annotations

import pytest

from ragate.github.commits.change import collected_change, is_current
from ragate.github.event.event import Event, RunRef
from ragate.github.rest.repository import Repository
from tests.servers.github.state import Json
from tests.servers.github_stub import GitHub

pytestmark = pytest.mark.integration

FORK = "stranger/handbook"


@pytest.fixture
def pull(github: GitHub) -> Json:
    base = github.commit({"a": b"a"}, branch="main")
    github.commit({"weak": b""}, parents=[base], branch="weak")
    head = github.commit({"b": b"b"}, parents=[base])
    pull = github.add_pull(7, head=head, base=base, head_repository=FORK)
    pull["mergeable"] = False
    return pull


def event_of(pull: Json) -> Event:
    sha = pull["head"]["sha"]
    run = RunRef(
        id=1, event="pull_request", head_sha=sha, head_branch="change", head_repository=FORK
    )
    return Event(
        name="workflow_run",
        action="completed",
        repository="octo-org/handbook",
        sha=sha,
        ref="refs/heads/main",
        run_id=1,
        run_attempt=1,
        run_url="",
        actor="octocat",
        default_branch="main",
        run=run,
    )


def test_a_branch_that_stays_is_current(repository: Repository, pull: Json) -> None:
    event = event_of(pull)
    change = collected_change(event, repository)
    assert change is not None

    assert is_current(event, repository, change)


def test_a_retarget_while_judging_makes_the_verdict_superseded(
    repository: Repository, pull: Json
) -> None:
    event = event_of(pull)
    pull["base"]["ref"] = "weak"
    change = collected_change(event, repository)
    assert change is not None
    pull["base"]["ref"] = "main"

    assert not is_current(event, repository, change)


def test_a_second_pull_request_to_main_while_judging_makes_the_verdict_superseded(
    github: GitHub, repository: Repository, pull: Json
) -> None:
    event = event_of(pull)
    pull["base"]["ref"] = "weak"
    change = collected_change(event, repository)
    assert change is not None
    github.add_pull(
        8, head=pull["head"]["sha"], base=pull["base"]["sha"], head_ref="x", head_repository=FORK
    )

    assert not is_current(event, repository, change)
