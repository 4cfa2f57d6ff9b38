"""The one comment on a pull request: found again, kept up to date, never doubled.

The gates of a repository share it; each writes its own section and leaves those of others.
"""

import random
import time
from collections.abc import Callable

from ragate.github.publish.our_comments import OurComment, ours_among
from ragate.github.publish.shared_comment import (
    comment_of,
    dated,
    gone_back,
    head_of,
    outdated,
    whole,
)
from ragate.github.rest.api_error import GitHubApiError
from ragate.github.rest.authors import login_in
from ragate.github.rest.repository import Repository, login_of
from ragate.renderers.markdown import marker_of

_TRIES = 4
_LOOKS = 4
_APART_S = 1.0  # longer than it takes to read and write the comment


Words = Callable[[str | None, str], str]
"""Gives the section to write, "" for none: by the one there is, and the pull request's head."""


class StickyComment:
    """The section of `gate` in the comment on pull request `number`.

    The comment is ours where we wrote it and its first line is a marker: anybody may write one.
    The API cannot create a comment "unless there is one", so that twins are removed afterwards,
    and the oldest stays with the sections of all. Nor does it know compare-and-set: beside other
    gates it is read again before each try to write and after a while, and written again where
    another has overwritten it. What a late write put back is told apart by its commit.
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
        self._current = ""  # the pull request's head at the last try to write
        self._seen: dict[str, str] = {}  # the sections of others on that commit

    def find(self) -> OurComment | None:
        """Return the oldest comment of ours with a section of this gate."""
        return next((each for each in self._all() if self._marker in each.sections), None)

    def outdated(self, new_sha: str) -> None:
        """Say on top that a newer commit is being judged; a section on this very one is left."""

        def words(section: str | None, _current: str) -> str:
            if not section or head_of(section) == new_sha:
                return ""
            return outdated(section, new_sha)

        self._settled(words)

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

        Raises:
            GitHubApiError: it could not be written, or the section there speaks of another commit
                and which one is newer cannot be asked.
        """
        unknown = [GitHubApiError(200, f"pull request {self._number}: no head is told")]

        def current() -> str:
            try:
                return self._head_now()
            except GitHubApiError as error:
                unknown[:] = [error]
                return ""

        def words(section: str | None, newest: str) -> str:
            if section is None and only_if_there:
                return ""
            told = head_of(section) if section is not None else head
            if not newest and told != head:
                raise unknown[0]
            newer = newest if newest != head else ""
            if newer and (only_if_current or told == newer):
                return ""
            return outdated(markdown, newer) if newer else markdown

        return self._settled(words, current)

    def _head_now(self) -> str:
        try:
            return str(self._repository.pull(self._number)["head"]["sha"])
        except (KeyError, TypeError):
            return ""

    def publish(self, markdown: str) -> str:
        """Write the section, in the comment that is there or a new one, and return its address.

        Raises:
            GitHubApiError: it could not be written.
        """
        return self._settled(lambda _section, _current: markdown)

    def _settled(self, words: Words, current: Callable[[], str] = lambda: "") -> str:
        url, said = self._written(words, current)
        for _ in range(_LOOKS if said else 0):
            is_alone = set(_merged(self._all())) <= {self._marker}
            if is_alone and not self._seen:
                break
            self._pause(_APART_S + random.random())  # noqa: S311  no secret: two jobs part
            ours = self._all()
            found = next((each for each in ours if self._marker in each.sections), None)
            back = gone_back(_merged(ours), self._seen, self._current)
            if found is not None and found.sections[self._marker] == whole(said) and not back:
                break
            url, said = self._written(words, current)
            if not said:
                break
        return url

    def _written(self, words: Words, current: Callable[[], str]) -> tuple[str, str]:
        """Write, reading anew before each try, and return the address and the section."""
        for _ in range(_TRIES - 1):
            try:
                return self._publish(words, current())
            except GitHubApiError as error:
                # 404: a twin of this run removed it meanwhile. No answer: it may be written.
                if not error.again and error.status not in (0, 404) and error.status < 500:
                    raise
        return self._publish(words, current())

    def _publish(self, words: Words, current: str) -> tuple[str, str]:
        twins = self._all()
        there = next((each for each in twins if self._marker in each.sections), None)
        markdown = words(there.sections[self._marker] if there else None, current)
        if not markdown:
            return there.url if there else "", ""
        if not twins:
            written = self._repository.create_comment(self._number, comment_of([markdown]))
            # A token that may not ask for its own name learns it here.
            self._login = login_in(written)
            twins = self._all()
        return self._one_of(twins, markdown, current), markdown

    def _one_of(self, twins: list[OurComment], markdown: str, current: str) -> str:
        if not twins:
            raise GitHubApiError(404, "the comment is gone as soon as it was written")
        oldest, *younger = twins
        sections = _merged(twins)
        sections |= gone_back(sections, self._seen, current)
        sections = {mark: dated(section, current) for mark, section in sections.items()}
        sections[self._marker] = whole(markdown)
        self._current, self._seen = current, {**sections}
        del self._seen[self._marker]
        body = comment_of(sections.values())
        if oldest.body.strip() != body.strip():
            self._repository.update_comment(oldest.id, body)
        for twin in younger:
            self._repository.delete_comment(twin.id)
        return oldest.url

    def _all(self) -> list[OurComment]:
        self._login = self._login or login_of(self._repository.api)
        return ours_among(self._repository.comments(self._number), self._login)


def _merged(comments: list[OurComment]) -> dict[str, str]:
    """Return the sections of all; of twins the younger's counts."""
    return {mark: text for each in comments for mark, text in each.sections.items()}
