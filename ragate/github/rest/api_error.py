"""What GitHub's API fails with, and where that only says that there is none."""

from collections.abc import Callable
from typing import TypeVar

from ragate.errors import RagateError

T = TypeVar("T")
D = TypeVar("D")


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
