"""The HTTP session in which OpenTelemetry's exporters send, and why they could not."""

import math
import ssl
import time
from collections.abc import Iterator
from http import HTTPStatus
from typing import Any

import requests
from requests.exceptions import (
    InvalidHeader,
    InvalidSchema,
    InvalidURL,
    MissingSchema,
    SSLError,
    Timeout,
)

ENDPOINT, HEADERS, TIMEOUT, CERTIFICATE = (
    f"OTEL_EXPORTER_OTLP_{name}" for name in ("ENDPOINT", "HEADERS", "TIMEOUT", "CERTIFICATE")
)
_BY_STATUS: dict[int, str] = {
    HTTPStatus.UNAUTHORIZED: HEADERS,
    HTTPStatus.FORBIDDEN: HEADERS,
    HTTPStatus.PROXY_AUTHENTICATION_REQUIRED: "HTTPS_PROXY",
}
SLOW = "it did not take everything in time", TIMEOUT
_UNENCODED = "a batch could not be encoded", "the names that plugins give to own_span"


class CollectorSession(requests.Session):
    """Sends one signal's batches, until one of them is given up.

    Of an answer only the head is read, and no redirect is followed: the keys in the headers are
    for the address that was named.

    Attributes:
        lost: Why a batch was given up and where to look; None where all were taken.
        taken: How many items the collector took.
        until: By `time.monotonic`, when nothing is sent any more.
    """

    def __init__(self) -> None:
        super().__init__()
        self.lost: tuple[str, str] | None = None
        self.taken = 0
        self.until = math.inf
        self._reason: tuple[str, str] | None = None

    def request(self, *arguments: Any, **options: Any) -> requests.Response:
        """Send a request as `requests.Session` does; `timeout` ends at `until` at the latest.

        Raises:
            Exception: what `requests` raises. RequestException: nothing is sent any more.
        """
        left = self.until - time.monotonic()
        if self.lost or left <= 0:
            self._reason = SLOW
            raise requests.RequestException("nothing is sent any more")
        options |= {"timeout": min(options.get("timeout") or left, left), "stream": True}
        if isinstance(self.verify, str):
            # Else REQUESTS_CA_BUNDLE wins over it: https://github.com/psf/requests/issues/3829
            options["verify"] = self.verify
        try:
            response = super().request(*arguments, **options)
        except Exception as error:
            self._reason = _why(error)
            raise
        response.close()
        self._reason = _answered(response.status_code)
        if response.is_redirect or 300 <= response.status_code < 400:
            raise requests.RequestException("redirected")  # the SDK would take it for success
        return response

    def get_redirect_target(self, resp: requests.Response) -> str | None:  # noqa: ARG002
        """Return None: `requests` would read the whole answer to follow a redirect."""
        return None

    def give_up(self) -> None:
        """Hear that the exporter gave a batch up after its retries; nothing more is sent."""
        self.lost = self.lost or self._reason or _UNENCODED


def _answered(status: int) -> tuple[str, str] | None:
    if 200 <= status < 300:
        return None
    try:
        words = f"it answered {status} {HTTPStatus(status).phrase}"
    except ValueError:
        words = f"it answered {status}"
    redirect = ", and redirects are not followed" if 300 <= status < 400 else ""
    return words + redirect, _BY_STATUS.get(status, ENDPOINT)


def _why(error: Exception) -> tuple[str, str]:
    """Return what went wrong, without an address or a header's value, and where to look."""
    innermost = list(_causes(error))[-1]
    if isinstance(innermost, ssl.SSLCertVerificationError):
        reason = innermost.verify_message.partition(",")[0]  # after a comma it names the host
        return f"its certificate is not trusted ({reason})", CERTIFICATE
    if isinstance(error, SSLError) or isinstance(innermost, ssl.SSLError):
        words = getattr(innermost, "reason", None) or type(innermost).__name__
        return f"no secure connection ({words})", CERTIFICATE
    if isinstance(error, Timeout):
        return "it did not answer in time", TIMEOUT
    if isinstance(error, MissingSchema | InvalidSchema | InvalidURL):
        return "its address cannot be used", ENDPOINT
    if isinstance(error, InvalidHeader | UnicodeError):
        return "a header cannot be sent", HEADERS
    if isinstance(error, requests.ConnectionError):
        words = getattr(innermost, "strerror", None) or type(innermost).__name__
        return f"no connection ({words})", ENDPOINT
    if isinstance(error, OSError) and not isinstance(error, requests.RequestException):
        return "a certificate's file cannot be read", CERTIFICATE
    return f"no request could be made ({type(error).__name__})", ENDPOINT


def _causes(error: BaseException) -> Iterator[BaseException]:
    """Yield an exception and those below it, which `urllib3` sometimes hands on as an argument."""
    yield error
    below = error.__cause__ or error.__context__ or next(iter(error.args), None)
    if isinstance(below, BaseException):
        yield from _causes(below)
