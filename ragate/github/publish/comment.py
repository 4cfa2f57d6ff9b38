"""The one comment of a gate on a pull request: found again, kept up to date, never doubled."""

import re
from dataclasses import dataclass
from typing import Any

from ragate.github.rest.api_error import GitHubApiError
from ragate.github.rest.authors import login_in
from ragate.github.rest.repository import Repository, login_of
from ragate.renderers.markdown import marker_of
from ragate.support.escape import short_sha

_TRIES = 3
_OUTDATED = re.compile(r"<p>⏳ judging [^\n]*</p>\n")
_HEAD = re.compile(r"head=([0-9a-f]{7,64}) -->$")


@dataclass(frozen=True)
class OurComment:
    """A comment of ours.

    Attributes:
        head: The commit that it speaks of, "" where it names none.
    """

    id: int
    url: str
    body: str
    head: str


class StickyComment:
    """The comment of `gate` on pull request `number`.

    It is ours where we wrote it and its first line is the gate's marker: anybody may write the
    marker, and other gates write under the same account. The API cannot create a comment "unless
    there is one", so that twins are removed afterwards: the oldest stays.
    """

    def __init__(self, repository: Repository, number: int, gate: str) -> None:
        self._repository = repository
        self._number = number
        self._marker = marker_of(gate)
        self._login = ""

    def find(self) -> OurComment | None:
        """Return the oldest comment of ours."""
        return next(iter(self._all()), None)

    def outdated(self, new_sha: str) -> None:
        """Say on top that a newer commit is being judged; a comment on this very one is left."""
        comment = self.find()
        if comment is None or comment.head == new_sha:
            return
        body = outdated(comment.body, new_sha)
        if body != comment.body:
            self._repository.update_comment(comment.id, body)

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
        if newer and (only_if_current or (comment is not None and comment.head == newer)):
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
        """Write the comment, or bring the one that is there up to date, and return its address.

        Raises:
            GitHubApiError: it could not be written.
        """
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
            written = self._repository.create_comment(self._number, markdown)
            # A token that may not ask for its own name learns it here.
            self._login = login_in(written)
            twins = self._all()
        return self._one_of(twins, markdown)

    def _one_of(self, twins: list[OurComment], markdown: str) -> str:
        if not twins:
            raise GitHubApiError(404, "the comment is gone as soon as it was written")
        oldest, *younger = twins
        if oldest.body.strip() != markdown.strip():
            self._repository.update_comment(oldest.id, markdown)
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
        marked = line.startswith(self._marker) and line.endswith("-->")
        return marked and login_in(comment) == self._login


def outdated(body: str, new_sha: str) -> str:
    """Return the comment with a line that says what it is about, in place of an older such line."""
    mark, _, text = body.replace("\r\n", "\n").partition("\n")
    head = _HEAD.search(mark)
    old = short_sha(head[1]) if head else ""
    new = short_sha(new_sha) or "a newer commit"
    line = f"<p>⏳ judging {new}; below is for {old or 'an older one'}</p>"
    return f"{mark}\n{line}\n{text[match.end() :] if (match := _OUTDATED.match(text)) else text}"


def _read(comment: dict[str, Any]) -> OurComment:
    body = str(comment.get("body") or "").replace("\r\n", "\n")
    head = _HEAD.search(_first_line(body))
    url = str(comment.get("html_url") or "")
    return OurComment(int(comment["id"]), url, body, head[1] if head else "")


def _first_line(body: str) -> str:
    return body.partition("\n")[0].rstrip("\r")
