"""The client: what it repeats and what it never does twice, and where the token does not go."""

from __future__ import annotations

import contextlib
import io
import logging
import traceback
from urllib.parse import quote

import pytest
from pydantic import SecretStr

from ragate.github.rest.api import Api, GitHubApiError
from ragate.github.rest.repository import Repository
from tests.github.api_factories import comments_at
from tests.servers.github_stub import TOKEN, GitHub

pytestmark = pytest.mark.integration


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


@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_a_read_of_what_was_renamed_goes_where_github_says(
    github: GitHub, repository: Repository, status: int
) -> None:
    new = {"location": f"{github.url}{comments_at(github)}?per_page=100"}
    github.fault("GET", "/comments$", status=status, headers=new)

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
        {"delay_s": 5.0, "times": 9},
        {"status": 403, "headers": {"retry-after": "9999", "x-token": TOKEN}},
    ],
)
def test_the_token_is_in_no_message_no_traceback_and_no_log(
    github: GitHub, fault: dict[str, object], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    for name in ("httpx2", "httpcore2"):
        logging.getLogger(name).setLevel(logging.DEBUG)
    github.fault("*", "/comments$", **fault)
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        api = Api(github.url, SecretStr(TOKEN), sleep=lambda _: None, timeout_s=2.0)
        with api, pytest.raises(GitHubApiError) as caught:
            Repository(api, github.name).create_comment(7, "text")
    shown = sinks_of(caught.value, output.getvalue() + caplog.text + repr(vars(api)))

    assert not [form for form in FORMS if form in shown]
    assert github.requests[0].headers["authorization"] == f"Bearer {TOKEN}"
