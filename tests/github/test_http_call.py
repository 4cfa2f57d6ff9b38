"""One request to GitHub, and one answer."""

from __future__ import annotations

import pytest

from ragate.github.rest import api as module
from ragate.github.rest.api import Api, GitHubApiError
from ragate.github.rest.connection import HttpAnswer
from ragate.github.rest.repository import Repository
from tests.github.api_factories import comments_at
from tests.servers.github_stub import TOKEN, GitHub

pytestmark = pytest.mark.integration


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
