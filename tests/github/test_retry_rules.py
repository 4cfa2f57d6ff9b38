"""What is tried again, how often, and how long a wait may be."""

from __future__ import annotations

import pytest

from ragate.github.rest.api import PATIENCE_S, Api, GitHubApiError
from ragate.github.rest.repository import Repository
from tests.servers.github_stub import TOKEN, GitHub

pytestmark = pytest.mark.integration


@pytest.mark.parametrize("status", [502, 503, 504])
def test_a_passing_failure_of_a_read_is_tried_again(
    github: GitHub, repository: Repository, waits: list[float], status: int
) -> None:
    github.fault("GET", "/comments$", status=status, times=3)

    assert repository.comments(7) == []
    assert [0 <= wait <= bound for wait, bound in zip(waits, (1, 2, 4), strict=True)] == [True] * 3


def test_tries_come_to_an_end(github: GitHub, repository: Repository) -> None:
    github.fault("GET", "/comments$", status=503, times=99)

    with pytest.raises(GitHubApiError) as caught:
        repository.comments(7)

    assert (caught.value.status, len(github.requests)) == (503, 4)


@pytest.mark.parametrize("fault", [{"lost": True}, {"status": 502}, {"status": 504}])
def test_a_comment_whose_answer_was_lost_is_not_blindly_written_again(
    github: GitHub, repository: Repository, fault: dict[str, object]
) -> None:
    github.fault("POST", "/comments$", **fault)

    with pytest.raises(GitHubApiError):
        repository.create_comment(7, "text")

    assert len(github.requests) == 1


def test_a_status_whose_answer_was_lost_is_set_again_since_that_does_no_harm(
    github: GitHub, repository: Repository
) -> None:
    github.fault("POST", "/statuses/", lost=True)

    repository.set_status("a" * 40, "success", "ragate/docs", "held")

    assert {one["state"] for one in github.statuses["a" * 40]} == {"success"}
    assert len(github.requests) == 2


def test_a_read_whose_answer_was_lost_is_repeated(github: GitHub, repository: Repository) -> None:
    github.fault("GET", "/comments$", lost=True)

    assert repository.comments(7) == []


@pytest.mark.parametrize(
    ("status", "headers", "waited"),
    [
        (429, {"retry-after": "7"}, 7),
        (403, {"retry-after": "3"}, 3),
        (403, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1030"}, 30),
        (429, {}, 60),
    ],
)
def test_a_rate_limit_is_waited_for_as_long_as_it_says_also_before_a_write(
    github: GitHub, status: int, headers: dict[str, str], waited: int
) -> None:
    waits: list[float] = []
    github.fault("POST", "/comments$", status=status, headers=headers)
    with Api(github.url, TOKEN, sleep=waits.append, clock=lambda: 1000.0) as api:
        Repository(api, github.name).create_comment(7, "text")

    assert [waited <= wait <= waited + 1 for wait in waits] == [True]
    assert len(github.comments[7]) == 1


def test_a_secondary_limit_is_known_by_its_words(
    github: GitHub, repository: Repository, waits: list[float]
) -> None:
    github.fault(
        "GET", "/comments$", status=403, message="You have exceeded a secondary rate limit"
    )

    assert repository.comments(7) == []
    assert [60 <= wait <= 61 for wait in waits] == [True]


def test_a_secondary_limit_that_goes_on_is_left_alone_for_longer_each_time(
    github: GitHub, repository: Repository, waits: list[float]
) -> None:
    told = "You have exceeded a secondary rate limit. Please wait a few minutes."
    github.fault("GET", "/comments$", status=403, message=told, times=2)

    assert repository.comments(7) == []
    assert [round(wait / 60) for wait in waits] == [1, 2]


def test_a_long_wait_is_told(github: GitHub) -> None:
    told: list[str] = []
    github.fault("GET", "/comments$", status=429, headers={"retry-after": "30"})
    with Api(github.url, TOKEN, sleep=lambda _: None, say=told.append) as api:
        Repository(api, github.name).comments(7)

    assert [line.startswith("GitHub limits the rate of calls: waiting for 3") for line in told] == [
        True
    ]


@pytest.mark.parametrize("header", ["3600", "99999999999999999999"])
def test_a_limit_that_lasts_too_long_is_told_at_once(
    github: GitHub, repository: Repository, waits: list[float], header: str
) -> None:
    github.fault("GET", "/comments$", status=403, headers={"retry-after": header}, times=9)

    with pytest.raises(GitHubApiError):
        repository.comments(7)
    assert waits == []


def test_all_waits_together_are_bounded(
    github: GitHub, repository: Repository, waits: list[float]
) -> None:
    github.fault("GET", "/comments$", status=429, headers={"retry-after": "90"}, times=99)

    for _ in range(5):
        with pytest.raises(GitHubApiError):
            repository.comments(7)

    assert sum(waits) <= PATIENCE_S
