"""The event: strict, and every part named that is missing or wrong."""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragate.errors import UsageError
from ragate.github.event import event as module
from ragate.github.event.event import Event, read_event

HEAD, BASE, MERGE = "a" * 40, "b" * 40, "c" * 40
REPOSITORY = {"id": 1, "full_name": "octo-org/handbook", "default_branch": "trunk"}
PULL: dict[str, Any] = {
    "action": "synchronize",
    "pull_request": {
        "number": 7,
        "user": {"login": "octocat"},
        "head": {"sha": HEAD, "ref": "change", "repo": {"id": 1, "full_name": "octo-org/handbook"}},
        "base": {"sha": BASE, "ref": "trunk", "repo": {"id": 1, "full_name": "octo-org/handbook"}},
    },
    "repository": REPOSITORY,
}


def environ_of(folder: Path, payload: Any, **variables: str) -> dict[str, str]:
    path = folder / "event.json"
    path.write_text(payload if isinstance(payload, str) else json.dumps(payload))
    defaults = {
        "GITHUB_EVENT_PATH": str(path),
        "GITHUB_EVENT_NAME": "pull_request",
        "GITHUB_REPOSITORY": "octo-org/handbook",
        "GITHUB_SHA": MERGE,
        "GITHUB_REF": "refs/pull/7/merge",
        "GITHUB_RUN_ID": "42",
        "GITHUB_RUN_ATTEMPT": "2",
        "GITHUB_ACTOR": "octocat",
    }
    return defaults | variables


def changed(path: str, value: Any) -> dict[str, Any]:
    """Return the pull request's payload with one part replaced; None removes it."""
    payload = copy.deepcopy(PULL)
    *parts, last = path.split(".")
    place = payload
    for part in parts:
        place = place[part]
    if value is None:
        del place[last]
    else:
        place[last] = value
    return payload


def test_a_pull_request_is_read(tmp_path: Path) -> None:
    event = read_event(environ_of(tmp_path, PULL))

    assert (event.name, event.action, event.sha) == ("pull_request", "synchronize", MERGE)
    assert event.default_branch == "trunk"
    assert event.run_url == "https://github.com/octo-org/handbook/actions/runs/42/attempts/2"
    assert event.pull is not None
    assert (event.pull.number, event.pull.head_sha, event.pull.base_ref) == (7, HEAD, "trunk")
    assert not event.pull.is_fork
    assert [event.merge_group, event.comment, event.run] == [None, None, None]


@pytest.mark.parametrize(
    "repository",
    [{"id": 2, "full_name": "fork/handbook"}, {"id": 2, "full_name": "octo-org/handbook"}, None],
)
def test_a_head_elsewhere_is_a_fork_also_under_our_name_or_when_it_is_gone(
    tmp_path: Path, repository: Any
) -> None:
    payload = changed("pull_request.head.repo", {})
    payload["pull_request"]["head"]["repo"] = repository

    pull = read_event(environ_of(tmp_path, payload)).pull

    assert pull is not None
    assert pull.is_fork


def test_an_enterprise_server_has_its_own_address(tmp_path: Path) -> None:
    environ = environ_of(tmp_path, PULL, GITHUB_SERVER_URL="https://git.example.org")

    assert read_event(environ).run_url.startswith("https://git.example.org/octo-org/handbook/")


def test_a_merge_group_a_comment_and_a_run_are_read(tmp_path: Path) -> None:
    group = {"base_sha": BASE, "head_sha": HEAD, "base_ref": "refs/heads/trunk"}
    user = {"login": "mallory", "type": "User"}
    comment = {
        "comment": {"id": 5, "body": "/ragate help", "user": user},
        "issue": {"number": 7, "pull_request": {}},
    }
    run = {
        "id": 41, "event": "pull_request", "head_sha": HEAD, "head_branch": "change",
        "head_repository": {"full_name": "fork/handbook"}, "conclusion": "success", "name": "ci",
    }  # fmt: skip

    def read(name: str, payload: Any) -> Event:
        return read_event(environ_of(tmp_path, payload, GITHUB_EVENT_NAME=name))

    queued = read("merge_group", {"merge_group": group}).merge_group
    said = read("issue_comment", comment).comment
    ran = read("workflow_run", {"workflow_run": run}).run
    assert queued is not None
    assert (queued.base_sha, queued.head_sha) == (BASE, HEAD)
    assert said is not None
    assert (said.id, said.author, said.number, said.is_pull) == (5, "mallory", 7, True)
    assert ran is not None
    assert (ran.id, ran.attempt, ran.head_repository) == (41, 1, "fork/handbook")


def test_an_event_without_parts_of_its_own_is_read(tmp_path: Path) -> None:
    event = read_event(
        environ_of(
            tmp_path,
            {"schedule": "0 2 * * *"},
            GITHUB_EVENT_NAME="schedule",
            GITHUB_REF="refs/heads/trunk",
        )
    )

    assert (event.name, event.default_branch, event.pull) == ("schedule", "trunk", None)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("pull_request", None),
        ("pull_request", "x"),
        ("pull_request.number", "7"),
        ("pull_request.number", True),
        ("pull_request.number", -1),
        ("pull_request.head.sha", "HEAD"),
        ("pull_request.head.sha", "A" * 40),
        ("pull_request.base.ref", None),
        ("pull_request.base.repo", None),
        ("pull_request.base.ref", 5),
        ("pull_request.head.repo", 5),
    ],
)
def test_a_part_that_is_missing_or_wrong_is_named(tmp_path: Path, path: str, value: Any) -> None:
    with pytest.raises(UsageError, match=re.escape(f"event.{path}") + "( = |: Field required)"):
        read_event(environ_of(tmp_path, changed(path, value)))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("GITHUB_EVENT_NAME", ""),
        ("GITHUB_EVENT_NAME", "pull request"),
        ("GITHUB_REPOSITORY", "octo-org"),
        ("GITHUB_REPOSITORY", "a/b/c"),
        ("GITHUB_SHA", "main"),
        ("GITHUB_RUN_ID", "x"),
        ("GITHUB_RUN_ATTEMPT", "-1"),
        ("GITHUB_EVENT_PATH", ""),
    ],
)
def test_a_variable_that_no_runner_sets_so_is_named(tmp_path: Path, name: str, value: str) -> None:
    with pytest.raises(UsageError, match=name):
        read_event(environ_of(tmp_path, PULL) | {name: value})


@pytest.mark.parametrize("content", ["", "{", "[]", "5", '{"a": 1, "a": 2}', "[" * 5000, "NaN"])
def test_a_file_that_is_no_event_is_refused(tmp_path: Path, content: str) -> None:
    with pytest.raises(UsageError):
        read_event(environ_of(tmp_path, content))


def test_a_huge_file_and_a_missing_one_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_BYTES", 10)
    with pytest.raises(UsageError, match="limit is 10"):
        read_event(environ_of(tmp_path, PULL))
    with pytest.raises(UsageError, match="cannot be read"):
        read_event(environ_of(tmp_path, PULL) | {"GITHUB_EVENT_PATH": "/nowhere"})


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=5,
)
PLACES = (
    "pull_request", "pull_request.number", "pull_request.head", "pull_request.head.repo",
    "pull_request.head.sha", "pull_request.base", "pull_request.base.repo", "pull_request.user",
    "repository", "action",
)  # fmt: skip


@settings(max_examples=8 * settings().max_examples, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(PLACES), VALUES)
def test_any_payload_is_read_or_refused_by_name(tmp_path: Path, place: str, value: Any) -> None:
    try:
        event = read_event(environ_of(tmp_path, changed(place, value)))
    except UsageError:
        return
    assert event.pull is not None
    assert len(event.pull.head_sha) == 40
