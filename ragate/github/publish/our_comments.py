"""The comments on a pull request that are ours, read with their sections."""

from dataclasses import dataclass
from typing import Any

from ragate.github.publish.shared_comment import START, sections_of
from ragate.github.rest.authors import login_in


@dataclass(frozen=True)
class OurComment:
    """A comment of ours.

    Attributes:
        sections: What each gate wrote, by its part of the marker.
    """

    id: int
    url: str
    body: str
    sections: dict[str, str]


def ours_among(comments: list[dict[str, Any]], login: str) -> list[OurComment]:
    """Return those that `login` wrote and whose first line is a marker, oldest first."""
    ours = [_read(comment) for comment in comments if _is_ours(comment, login)]
    return sorted(ours, key=lambda comment: comment.id)


def _is_ours(comment: dict[str, Any], login: str) -> bool:
    line = _first_line(str(comment.get("body") or ""))
    marked = line.startswith(START) and line.endswith("-->")
    return marked and login_in(comment) == login


def _read(comment: dict[str, Any]) -> OurComment:
    body = str(comment.get("body") or "").replace("\r\n", "\n")
    url = str(comment.get("html_url") or "")
    return OurComment(int(comment["id"]), url, body, sections_of(body))


def _first_line(body: str) -> str:
    return body.partition("\n")[0].rstrip("\r")
