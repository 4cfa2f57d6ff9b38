"""The client: what it repeats and what it never does twice, and where the token does not go."""

from __future__ import annotations

import contextlib
import io
import logging
import traceback
from urllib.parse import quote

import pytest
from pydantic import SecretStr

from ragate.github.rest import api as module
from ragate.github.rest.api import Api, GitHubApiError
from ragate.github.rest.http_call import HttpAnswer
from ragate.github.rest.repository import Repository
from ragate.github.rest.retry_rules import PATIENCE_S
from tests.servers.github_stub import TOKEN, GitHub

pytestmark = pytest.mark.integration


def comments_at(github: GitHub) -> str:
    return f"/repos/{github.name}/issues/7/comments"


@pytest.mark.parametrize("status", [502, 503, 504])
def test_a_passing_failure_of_a_read_is_tried_again(
    github: GitHub, repository: Repository, waits: list[float], status: int
) -> None:
    github.fault("GET", "/comments$", status=status, times=3)

    assert repository.comments(7) == []
    assert len(waits) == 3
    assert 0 < waits[0] < waits[1] < waits[2] <= 4


@pytest.mark.parametrize("status", [400, 401, 403, 404, 409, 410, 422, 451])
def test_a_refusal_is_final_and_says_what_github_says(
    github: GitHub, repository: Repository, waits: list[float], status: int
) -> None:
    github.fault("GET", "/comments$", status=status, message="No such thing\n::error::x")

    with pytest.raises(GitHubApiError) as caught:
        repository.comments(7)

    assert caught.value.status == status
    path = comments_at(github)
    assert caught.value.message == f"GET {path}: {status} No such thing ::error::x"
    assert (len(github.requests), waits) == (1, [])


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
    with Api(github.url, TOKEN, sleep=waits.append, now=lambda: 1000.0) as api:
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


def test_a_read_of_what_was_renamed_goes_where_github_says(
    github: GitHub, repository: Repository
) -> None:
    new = {"location": f"{github.url}{comments_at(github)}?per_page=100"}
    github.fault("GET", "/comments$", status=301, headers=new)

    assert repository.comments(7) == []
    assert len(github.requests) == 2


@pytest.mark.parametrize("hops", [1, 9])
def test_a_redirect_to_another_host_or_in_a_circle_is_an_error(github: GitHub, hops: int) -> None:
    target = "http://127.0.0.1:1/x" if hops == 1 else comments_at(github)
    github.fault("GET", "/comments$", status=302, headers={"location": target}, times=hops)
    with Api(github.url, TOKEN) as api, pytest.raises(GitHubApiError):
        Repository(api, github.name).comments(7)

    assert len(github.requests) <= 4


def test_a_write_is_not_redirected(github: GitHub, repository: Repository) -> None:
    github.fault("POST", "/comments$", status=307, headers={"location": comments_at(github)})

    with pytest.raises(GitHubApiError):
        repository.create_comment(7, "text")
    assert github.comments[7] == []


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


def test_no_connection_is_an_error_without_a_status(waits: list[float]) -> None:
    with (
        Api("http://127.0.0.1:1", TOKEN, sleep=waits.append) as api,
        pytest.raises(GitHubApiError, match="no connection") as caught,
    ):
        Repository(api, "o/r").create_comment(7, "text")

    assert caught.value.status == 0
    assert len(waits) == 3  # nothing was sent: trying again is safe


def test_an_answer_that_takes_too_long_is_an_error_without_a_status(github: GitHub) -> None:
    github.fault("GET", "/comments$", delay_s=5, times=9)
    with (
        Api(github.url, TOKEN, sleep=lambda _: None, timeout_s=0.1) as api,
        pytest.raises(GitHubApiError, match="no answer: ReadTimeout") as caught,
    ):
        Repository(api, github.name).comments(7)

    assert caught.value.status == 0


@pytest.mark.parametrize("body", [b"", b"<html>", b"[1, 2", b"5", b"[" * 5000])
def test_an_answer_that_is_no_list_of_objects_is_an_error_or_empty(
    github: GitHub, api: Api, body: bytes
) -> None:
    github.raw_type = "application/json"
    sha = github.commit({"a": body}, branch="main")

    with pytest.raises(GitHubApiError):
        list(api.pages(f"/repos/{github.name}/contents/a", {"ref": sha}))


def test_a_link_to_another_host_is_not_followed(
    github: GitHub, api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    github.comments[7] = [{"id": number} for number in range(150)]
    monkeypatch.setattr(github, "url", github.storage_url)

    with pytest.raises(GitHubApiError, match="leads to another host"):
        list(api.pages(comments_at(github)))

    assert [seen for seen in github.requests if seen.host == "storage"] == []


@pytest.mark.parametrize("target", ["http://127.0.0.1:1/x", "", "ftp://example.org/x", "/x"])
def test_an_artifact_is_fetched_from_https_only(
    target: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    api = Api("https://api.example.org", TOKEN)
    answer = HttpAnswer(302, {"location": target}, b"")
    monkeypatch.setattr(module, "send", lambda *_, **__: answer)

    with api, pytest.raises(GitHubApiError):
        api.download("/repos/o/r/actions/artifacts/1/zip")


def test_a_proxy_and_other_variables_of_the_environment_change_nothing(
    github: GitHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    with Api(github.url, TOKEN, sleep=lambda _: None) as api:
        assert list(api.pages(comments_at(github))) == []


FORMS = (TOKEN, quote(TOKEN, safe=""), TOKEN.encode().hex())


def sinks_of(error: BaseException, output: str) -> str:
    """Return everything that could show a key: the error, its traceback with locals, the output."""
    own = error.__traceback__
    while own is not None and "/ragate/github/" not in own.tb_frame.f_code.co_filename:
        own = own.tb_next
    assert own is not None  # below: frames of ours and of the libraries, not the test's
    told = traceback.TracebackException.from_exception(
        error.with_traceback(own), capture_locals=True
    )
    return "\n".join([str(error), repr(error), *told.format(), output])


@pytest.mark.parametrize(
    "fault",
    [
        {"status": 401, "message": f"Bad credentials: Bearer {TOKEN}"},
        {"status": 500, "message": f"{TOKEN.encode().hex()} {quote(TOKEN)}"},
        {"lost": True},
        {"delay_s": 2.0, "times": 9},
        {"status": 403, "headers": {"retry-after": "9999", "x-token": TOKEN}},
    ],
)
def test_the_token_is_in_no_message_no_traceback_and_no_log(
    github: GitHub, fault: dict[str, object], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    for name in ("httpx", "httpcore"):
        logging.getLogger(name).setLevel(logging.DEBUG)
    github.fault("*", "/comments$", **fault)
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        api = Api(github.url, SecretStr(TOKEN), sleep=lambda _: None, timeout_s=0.2)
        with api, pytest.raises(GitHubApiError) as caught:
            Repository(api, github.name).create_comment(7, "text")
    shown = sinks_of(caught.value, output.getvalue() + caplog.text + repr(vars(api)))

    assert not [form for form in FORMS if form in shown]
    assert github.requests[0].headers["authorization"] == f"Bearer {TOKEN}"
