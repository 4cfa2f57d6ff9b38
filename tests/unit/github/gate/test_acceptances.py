"""An accept counts for one gate, commit and outcome, and only while its giver may give it."""

from __future__ import annotations

from typing import Any

import pytest

from ragate.github.gate.acceptances import (
    AcceptScope,
    acceptances,
    binding_line,
    can_fail,
    is_bound,
    may_write,
)
from ragate.github.rest.api import GitHubApiError
from ragate.models import MetricVerdict, Rule, Verdict
from tests.factories import decision_factory, metric_row_factory

SHA = "bad0bad" + "0" * 33
SCOPE = AcceptScope("docs", SHA, "0123456789abcdef")
BOT = "github-actions[bot]"
BODY = '/ragate accept bad0bad mrr ndcg@10 "new policy"'


class People:
    """A repository with these comments and permissions."""

    def __init__(self, comments: list[Any], **permissions: str) -> None:
        self._comments, self._permissions = comments, permissions

    def comments(self, _number: int) -> list[Any]:
        return self._comments

    def permission(self, login: str) -> str:
        found = self._permissions.get(login, "none")
        if found == "down":
            raise GitHubApiError(500, "out of order")
        return found


def comment(number: int, body: str, login: str = "mona", **more: Any) -> Any:
    kind = "Bot" if login.endswith("[bot]") else "User"
    times = {"created_at": "2026-01-01T00:00:00Z", "updated_at": "2026-01-01T00:00:00Z"}
    return {"id": number, "body": body, "user": {"login": login, "type": kind}, **times, **more}


def record(scope: AcceptScope = SCOPE, login: str = BOT) -> Any:
    return comment(101, f"{binding_line(scope, 1)}\n<p>accepted</p>", login)


def accepted(comments: list[Any], **permissions: str) -> dict[str, str]:
    people = People(comments, **(permissions or {"mona": "write"}))
    found = acceptances(people, 7, SCOPE, BOT)  # type: ignore[arg-type]
    return {one.metric: one.by for one in found}


def test_an_accept_with_its_record_counts_for_its_metrics():
    assert accepted([comment(1, BODY), record()]) == {"mrr": "mona", "ndcg@10": "mona"}
    one = acceptances(People([comment(1, BODY), record()], mona="admin"), 7, SCOPE, BOT)[0]  # type: ignore[arg-type]
    assert (one.reason, one.commit) == ("new policy", SHA)


@pytest.mark.parametrize(
    "other",
    [
        AcceptScope("other", SHA, SCOPE.outputs),
        AcceptScope("docs", "c" * 40, SCOPE.outputs),
        AcceptScope("docs", SHA, "f" * 16),
    ],
)
def test_it_lapses_with_another_gate_commit_or_outcome(other):
    assert accepted([comment(1, BODY), record(other)]) == {}


@pytest.mark.parametrize("permission", ["read", "none", "triage"])
def test_who_may_not_write_any_more_accepts_nothing(permission):
    assert accepted([comment(1, BODY), record()], mona=permission) == {}


def test_an_api_that_fails_accepts_nothing():
    with pytest.raises(GitHubApiError):
        accepted([comment(1, BODY), record()], mona="down")


def test_neither_comment_counts_alone():
    assert accepted([comment(1, BODY)]) == {}
    assert accepted([record()]) == {}


def test_a_record_that_somebody_else_wrote_is_none():
    assert accepted([comment(1, BODY), record(login="mallory")]) == {}
    quoted = comment(5, "> " + binding_line(SCOPE, 1), BOT)
    assert accepted([comment(1, BODY), quoted]) == {}


def test_an_edited_accept_is_none():
    edited = comment(1, BODY, updated_at="2026-01-02T00:00:00Z")
    assert accepted([edited, record()]) == {}


@pytest.mark.parametrize(
    "body",
    [
        "/ragate help",
        '/ragate accept c0ffee0 mrr "another commit"',
        '/ragate accept bad0bad gate=other mrr "another gate"',
        "/ragate accept bad0bad mrr",
        f"> {BODY}",
    ],
)
def test_a_comment_that_does_not_say_it_accepts_nothing(body):
    assert accepted([comment(1, body), record()]) == {}


def test_bots_and_ghosts_accept_nothing():
    robot = comment(1, BODY, "helper[bot]")
    assert accepted([robot, record()], **{"helper[bot]": "admin"}) == {}
    assert accepted([{**comment(1, BODY), "user": None}, record()]) == {}
    assert not may_write(People([], mona="admin"), "mona", "Organization")  # type: ignore[arg-type]


def test_who_is_left_out_accepts_nothing_though_they_may_write():
    people = People([comment(1, BODY), record()], mona="admin")
    assert acceptances(people, 7, SCOPE, BOT, without={"mona"}) == ()  # type: ignore[arg-type]
    assert len(acceptances(people, 7, SCOPE, BOT, without={"hubot"})) == 2  # type: ignore[arg-type]


def test_a_comment_that_is_recorded_is_known():
    assert is_bound([record()], 1, BOT)
    assert not is_bound([record(login="mallory")], 1, BOT)


def test_a_metric_that_only_warns_can_be_accepted_where_what_it_checks_is_left_out():
    row = metric_row_factory("citation_validity", level="warn", blocks=True)
    shown = metric_row_factory("mrr", 1.0, 0.5, MetricVerdict.SHOWN, level="warn")
    decision = decision_factory(Verdict.FAILED, metrics=[row, shown])

    assert can_fail([Rule(metric="mrr", level="warn")], decision) == ["citation_validity"]
