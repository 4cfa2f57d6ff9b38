"""The one comment on a pull request: found again, kept up to date, never doubled.

The gates of a repository share it; each writes its own section and leaves those of others.
"""

import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ragate.github.publish.shared_comment import (
    START,
    comment_of,
    head_of,
    outdated,
    sections_of,
    whole,
)
from ragate.github.rest.api_error import GitHubApiError
from ragate.github.rest.authors import login_in
from ragate.github.rest.repository import Repository, login_of
from ragate.renderers.markdown import marker_of

_TRIES = 3
_LOOKS = 4
_APART_S = 1.0  # longer than it takes to read and write the comment


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


class StickyComment:
    """The section of `gate` in the comment on pull request `number`.

    The comment is ours where we wrote it and its first line is a marker: anybody may write one.
    The API cannot create a comment "unless there is one", so that twins are removed afterwards,
    and the oldest stays with the sections of all. Nor does it know compare-and-set: beside other
    gates it is read again after a while, and written again where another has overwritten it.
    """

    def __init__(
        self,
        repository: Repository,
        number: int,
        gate: str,
        *,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._pause = pause
        self._repository = repository
        self._number = number
        self._marker = marker_of(gate)
        self._login = ""

    def find(self) -> OurComment | None:
        """Return the oldest comment of ours with a section of this gate."""
        return next((each for each in self._all() if self._marker in each.sections), None)

    def outdated(self, new_sha: str) -> None:
        """Say on top that a newer commit is being judged; a section on this very one is left."""
        comment = self.find()
        section = comment.sections[self._marker] if comment is not None else ""
        if not section or head_of(section) == new_sha:
            return
        self.publish(outdated(section, new_sha))

    def tell(
        self,
        markdown: str,
        head: str,
        *,
        only_if_there: bool = False,
        only_if_current: bool = False,
    ) -> str:
        """Publish what is said of the commit `head`, where no newer run has said more.

        Args:
            only_if_there: Write no comment where there is none yet.
            only_if_current: Write nothing where `head` is not the pull request's head any more.

        Returns:
            The comment's address, "" where there is none.
        """
        comment = self.find()
        if comment is None and only_if_there:
            return ""
        newer = self._newer_head(head)
        told = head_of(comment.sections[self._marker]) if comment is not None else ""
        if newer and (only_if_current or told == newer):
            return comment.url if comment is not None else ""
        return self.publish(outdated(markdown, newer) if newer else markdown)

    def _newer_head(self, head: str) -> str:
        """Return the pull request's head where it is another commit by now, else ""."""
        try:
            current = self._repository.pull(self._number)["head"]["sha"]
        except (GitHubApiError, KeyError, TypeError):
            return ""
        return str(current) if current != head else ""

    def publish(self, markdown: str) -> str:
        """Write the section, in the comment that is there or a new one, and return its address.

        Raises:
            GitHubApiError: it could not be written.
        """
        url = self._written(markdown)
        for _ in range(_LOOKS):
            ours = self._all()
            is_alone = all(set(each.sections) <= {self._marker} for each in ours)
            if is_alone:
                break
            self._pause(_APART_S + random.random())  # noqa: S311  no secret: two jobs part
            found = self.find()
            if found is not None and found.sections[self._marker] == whole(markdown):
                break
            url = self._written(markdown)
        return url

    def _written(self, markdown: str) -> str:
        for _ in range(_TRIES - 1):
            try:
                return self._publish(markdown)
            except GitHubApiError as error:
                # 404: a twin of this run removed it meanwhile. No answer: it may be written.
                if error.status not in (0, 404) and error.status < 500:
                    raise
        return self._publish(markdown)

    def _publish(self, markdown: str) -> str:
        twins = self._all()
        if not twins:
            written = self._repository.create_comment(self._number, comment_of([markdown]))
            # A token that may not ask for its own name learns it here.
            self._login = login_in(written)
            twins = self._all()
        return self._one_of(twins, markdown)

    def _one_of(self, twins: list[OurComment], markdown: str) -> str:
        if not twins:
            raise GitHubApiError(404, "the comment is gone as soon as it was written")
        oldest, *younger = twins
        sections: dict[str, str] = {}
        for twin in twins:
            sections |= twin.sections
        sections[self._marker] = whole(markdown)
        body = comment_of(sections.values())
        if oldest.body.strip() != body.strip():
            self._repository.update_comment(oldest.id, body)
        for twin in younger:
            self._repository.delete_comment(twin.id)
        return oldest.url

    def _all(self) -> list[OurComment]:
        self._login = self._login or login_of(self._repository.api)
        comments = self._repository.comments(self._number)
        ours = [_read(comment) for comment in comments if self._is_ours(comment)]
        return sorted(ours, key=lambda comment: comment.id)

    def _is_ours(self, comment: dict[str, Any]) -> bool:
        line = _first_line(str(comment.get("body") or ""))
        marked = line.startswith(START) and line.endswith("-->")
        return marked and login_in(comment) == self._login


def _read(comment: dict[str, Any]) -> OurComment:
    body = str(comment.get("body") or "").replace("\r\n", "\n")
    url = str(comment.get("html_url") or "")
    return OurComment(int(comment["id"]), url, body, sections_of(body))


def _first_line(body: str) -> str:
    return body.partition("\n")[0].rstrip("\r")
