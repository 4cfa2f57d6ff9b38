"""GitHub's REST API over HTTP: one client, bound to one host."""

from __future__ import annotations

import json
import logging
import re
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, Self, TypeVar
from urllib.parse import urljoin, urlsplit

from pydantic import SecretStr

from ragate.clients.http.retry import Course, FaultKind, Retry
from ragate.errors import RagateError
from ragate.github.rest.connection import Connection, HttpAnswer, bearer, moved_to, origin, send
from ragate.guards.escape import one_line
from ragate.guards.redact import Redactor

T = TypeVar("T")
D = TypeVar("D")
# Together, for all calls of one client: a secondary limit asks for a minute, then for more.
PATIENCE_S = 300.0
RETRY = Retry(tries=4, rejections=4, base_s=1.0, patience_s=PATIENCE_S)
# Where a limit does not say how long: GitHub asks for a minute at least, longer each time.
# https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api
UNSAID_S = 60.0
_PASSING = frozenset({0, 502, 503, 504})
_LIMITS = ("secondary rate limit", "abuse detection")
JSON = "application/vnd.github+json"
RAW = "application/vnd.github.raw+json"
VERSION = "2022-11-28"
PER_PAGE = 100
MOST_PAGES = 100
MOST_BYTES = 128 * 1024 * 1024  # the contents API ends at 100 MB
MOST_MOVES = 3
STRAIGHT = Connection()
_NEXT = re.compile(r'<([^<>]+)>\s*;[^,]*\brel="?next"?')
_HARMLESS = frozenset({"GET", "PATCH", "DELETE"})
_LOUD = ("httpx2", "httpcore2")

Params = Mapping[str, str | int]


class Api:
    """The API at `url` for one token; close it, or use it as a context manager.

    Args:
        sleep, clock, say: What `Patience` waits and tells by.
        connection: The way to the API, and to where it keeps artifacts.
    """

    def __init__(
        self,
        url: str,
        token: str | SecretStr,
        *,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.time,
        timeout_s: float = 20.0,
        connection: Connection = STRAIGHT,
        say: Callable[[str], None] = lambda _line: None,
    ) -> None:
        import httpx2

        for name in _LOUD:  # their debug logs hold the headers
            logging.getLogger(name).setLevel(logging.WARNING)
        secret = token if isinstance(token, SecretStr) else SecretStr(token)
        self.url = url.rstrip("/")
        self._patience = Patience(sleep=sleep, clock=clock, say=say)
        self._redact = Redactor([secret.get_secret_value(), connection.proxy.get_secret_value()])
        timeout = httpx2.Timeout(timeout_s, connect=5.0)
        self._client = connection.client(timeout, sign=bearer(secret, origin(self.url)))
        self._bare = connection.client(timeout)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        self._client.close()
        self._bare.close()

    def get(self, path: str, params: Params | None = None) -> Any:
        """Return the JSON at `path`.

        Raises:
            GitHubApiError: any status but 2xx, no answer, or no JSON.
        """
        return self._json(self._call("GET", path, params=params))

    def post(self, path: str, body: Any = None, *, repeatable: bool = False) -> Any:
        """Send `body` and return the JSON of the answer, None where it has none.

        Args:
            repeatable: Doing it twice does no harm, so a call without an answer is repeated.
        """
        return self._json(self._call("POST", path, body=body, repeatable=repeatable))

    def patch(self, path: str, body: Any, *, ages: bool = False) -> Any:
        """Change what is at `path`.

        Args:
            ages: `body` rests on what was read just before, so a call that failed is not repeated:
                its error says whether to make it `again`.
        """
        return self._json(self._call("PATCH", path, body=body, ages=ages))

    def delete(self, path: str) -> None:
        self._call("DELETE", path)

    def pages(
        self, path: str, params: Params | None = None, *, key: str = ""
    ) -> Iterator[dict[str, Any]]:
        """Yield the items of all pages; `key` names the list where an object is round it."""
        query: Params | None = {"per_page": PER_PAGE, **(params or {})}
        for _ in range(MOST_PAGES):
            answer = self._call("GET", path, params=query)
            page = self._json(answer)
            items = page.get(key) if key and isinstance(page, dict) else page
            if not isinstance(items, list):
                raise GitHubApiError(answer.status, f"{_plain(path)}: no list in the answer")
            yield from (item for item in items if isinstance(item, dict))
            link = _NEXT.search(answer.headers.get("link", ""))
            if link is None:
                return
            path, query = link[1], None

    def raw(self, path: str, params: Params | None = None) -> bytes:
        """Return a file's bytes, also above the 1 MB to which the JSON form goes."""
        return self._call("GET", path, params=params, accept=RAW).body

    def download(self, path: str, *, max_bytes: int = MOST_BYTES) -> bytes:
        """Return what `path` redirects to; the other host is not told the token."""
        answer = self._call("GET", path, redirect=True, max_bytes=max_bytes)
        if answer.status // 100 == 2:
            return answer.body
        target = urljoin(f"{self.url}/", answer.headers.get("location", ""))
        secure = urlsplit(target).scheme == "https" or not self.url.startswith("https:")
        if not secure or not urlsplit(target).netloc:
            raise GitHubApiError(answer.status, f"{path}: redirected to no https address")
        answer = self._patience.answer(
            partial(send, self._bare, "GET", target, max_bytes=max_bytes)
        )
        if answer.status // 100 != 2:
            raise self._error(answer, f"GET {_plain(path)}")
        return answer.body

    def _call(
        self,
        method: str,
        path: str,
        *,
        params: Params | None = None,
        body: Any = None,
        accept: str = JSON,
        repeatable: bool = False,
        redirect: bool = False,
        ages: bool = False,
        max_bytes: int = MOST_BYTES,
    ) -> HttpAnswer:
        url = self._ours(path if path.startswith(("http://", "https://")) else self.url + path)
        headers = {"accept": accept, "x-github-api-version": VERSION, "user-agent": "ragate"}
        options = {"headers": headers, "params": params, "json": body, "max_bytes": max_bytes}

        def once() -> HttpAnswer:
            return send(self._client, method, url, **options)

        again = False
        if ages:
            answer, again = self._patience.single(once)
        else:
            answer = self._patience.answer(once, repeatable=repeatable or method in _HARMLESS)
        for _ in range(MOST_MOVES if method == "GET" and not redirect else 0):
            if not (target := moved_to(answer, url)):
                break
            url = self._ours(target)
            answer = self._patience.answer(once)
        moved = redirect and answer.status in (301, 302, 303, 307, 308)
        if answer.status // 100 != 2 and not moved:
            raise self._error(answer, f"{method} {_plain(path)}", again=again)
        return answer

    def _ours(self, url: str) -> str:
        if origin(url) != origin(self.url):
            raise GitHubApiError(0, f"{one_line(url, 200)}: leads to another host")
        return url

    def _json(self, answer: HttpAnswer) -> Any:
        if not answer.body:
            return None
        try:
            return json.loads(answer.body)
        except (ValueError, RecursionError):
            raise GitHubApiError(answer.status, "the API's answer is not JSON") from None

    def _error(self, answer: HttpAnswer, call: str, *, again: bool = False) -> GitHubApiError:
        status = max(answer.status, 0)
        code = f" {status}" if status else ""
        message = self._redact(answer.message())
        return GitHubApiError(status, f"{call}:{code} {message}".rstrip(), again=again)


def _plain(path: str) -> str:
    return one_line(urlsplit(path).path, 200)


# When a call to GitHub is made again: its rules for limits, and little patience for the rest.


class Patience:
    """How long one client has waited, and how long it still may.

    A call is repeated when it was turned down for its rate, or when it may have failed in passing
    and doing it twice does no harm.
    """

    def __init__(
        self,
        *,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.time,
        say: Callable[[str], None] = lambda _line: None,
    ) -> None:
        self._sleep, self._clock, self._say = sleep, clock, say
        self._left_s = PATIENCE_S
        self._single = Course(RETRY)

    def answer(self, once: Callable[[], HttpAnswer], *, repeatable: bool = True) -> HttpAnswer:
        """Return the answer of `once`, called again where waiting may help."""
        course = Course(RETRY)
        while self._waited(answer := once(), course, repeatable=repeatable):
            pass
        return answer

    def single(self, once: Callable[[], HttpAnswer]) -> tuple[HttpAnswer, bool]:
        """Return the answer of one call, and whether its caller may make it anew.

        For what grows old while it waits. The wait is over when this returns.
        """
        answer = once()
        if answer.status // 100 == 2:
            self._single = Course(RETRY)
            return answer, False
        return answer, self._waited(answer, self._single)

    def _waited(self, answer: HttpAnswer, course: Course, *, repeatable: bool = True) -> bool:
        wait = self._wait(answer, course, repeatable=repeatable)
        if wait is None or wait > self._left_s:
            return False
        if wait >= 10:
            self._say(f"GitHub limits the rate of calls: waiting for {wait:.0f} s")
        self._left_s -= wait
        self._sleep(wait)
        return True

    def _wait(self, answer: HttpAnswer, course: Course, *, repeatable: bool) -> float | None:
        """Return the seconds before the next try, None where there is none."""
        limited = limited_until(answer, self._clock(), course.counts[FaultKind.REJECTED] + 1)
        if limited is not None:
            return course.wait_after(FaultKind.REJECTED, limited)
        if answer.status in _PASSING and (repeatable or not answer.sent):
            return course.wait_after(FaultKind.FAILED)
        return None


def limited_until(answer: HttpAnswer, time_s: float, count: int = 1) -> float | None:
    """Return the seconds for which the API wants no more calls, None where it does not say so.

    Args:
        time_s: The time now, in seconds since 1970.
        count: So many calls were turned down in a row.

    Source:
        "Handle rate limit errors appropriately" in GitHub's best practices for the REST API.
    """
    if answer.status not in (403, 429):
        return None
    after = answer.headers.get("retry-after", "")
    if after.isdecimal():
        return float(after[:9])
    reset = answer.headers.get("x-ratelimit-reset", "")
    if answer.headers.get("x-ratelimit-remaining") == "0" and reset.isdecimal():
        return max(0.0, float(reset[:12]) - time_s)
    message = answer.message().lower()
    if answer.status == 429 or any(words in message for words in _LIMITS):
        return UNSAID_S * 2.0 ** (count - 1)
    return None


# What GitHub's API fails with, and where that only says that there is none.


class GitHubApiError(RagateError):
    """The API refused, failed or did not answer; never a verdict by itself.

    Attributes:
        status: The HTTP status, 0 where there was no answer: what was asked for may be done
            nevertheless.
        again: What the API wanted to be waited for is over: the call may be made anew.
    """

    def __init__(self, status: int, message: str, *, again: bool = False) -> None:
        super().__init__(message)
        self.status = status
        self.again = again


def unless_absent(call: Callable[[], T], default: D) -> T | D:
    """Return what `call` returns, `default` where the API says that there is none (404)."""
    try:
        return call()
    except GitHubApiError as error:
        if error.status == 404:
            return default
        raise
