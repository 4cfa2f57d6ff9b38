"""The one comment on a pull request: found again, kept up to date, never doubled.

The gates of a repository share it; each writes its own section and leaves those of others.
"""

from __future__ import annotations

import random
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from ragate.github.rest.api import GitHubApiError
from ragate.github.rest.repository import Repository, login_in, login_of
from ragate.guards.escape import short_sha
from ragate.renderers.markdown import marker_of

BUDGET = 60_000  # UTF-8 bytes; GitHub takes 65,536 characters
START = "<!-- ragate:1 gate="
_FOLD = "<!-- ragate:fold -->"
_SIGNS = {"❌": "worse", "⏸️": "undecided", "🟡": "to look at", "👋": "new", "✅": "passed"}
_UNTOLD = "undecided"  # a section without a sign: not hidden, and no pass
_GATES = "<!-- ragate:gates -->"
_HEADING = re.compile(r"<h3>(.*)</h3>")
_FOLDED = re.compile(rf"<details><summary>(.*)</summary>{_FOLD}")
_INNER = re.compile(r"(?ms)^<details><summary>(?:(?!<!-- ragate:fold -->).)*?^</details>\n")
_OUTDATED = re.compile(r"<p>⏳ (?:judging|an older commit:) [^\n]*</p>\n")
_OLDER = re.compile(r"<p>⏳ an older commit: [^\n]*</p>\n")
_HEAD = re.compile(r"head=([0-9a-f]{7,64}) -->$")
_CUT = "<p>The rest stands in the job summary.</p>\n"
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
            found = self._oldest(ours)
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
        there = self._oldest(twins)
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

    def _oldest(self, comments: list[OurComment]) -> OurComment | None:
        """Return the first with a section of this gate."""
        return next((each for each in comments if self._marker in each.sections), None)

    def _all(self) -> list[OurComment]:
        self._login = self._login or login_of(self._repository.api)
        return ours_among(self._repository.comments(self._number), self._login)


def _merged(comments: list[OurComment]) -> dict[str, str]:
    """Return the sections of all; of twins the younger's counts."""
    return {mark: text for each in comments for mark, text in each.sections.items()}


# One comment for all gates of a repository: a section each, the worst first, the others folded.
#
# A section begins with its gate's marker and ends where the next one begins: no text of others
# can hold a line like that, since what is foreign in a comment is escaped.


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
    line = str(comment.get("body") or "").partition("\n")[0].rstrip("\r")
    marked = line.startswith(START) and line.endswith("-->")
    return marked and login_in(comment) == login


def _read(comment: dict[str, Any]) -> OurComment:
    body = str(comment.get("body") or "").replace("\r\n", "\n")
    url = str(comment.get("html_url") or "")
    return OurComment(int(comment["id"]), url, body, sections_of(body))


def sections_of(body: str) -> dict[str, str]:
    """Return the sections of a comment by their gate's part of the marker, as each gate wrote it.

    What stands before the first marker is no section; {} for a comment without any.
    """
    sections: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in body.replace("\r\n", "\n").split("\n"):
        if line.endswith(_GATES):
            continue
        if line.startswith(START) and line.endswith("-->"):
            lines = sections.setdefault(line.partition("head=")[0], [])
            lines.clear()
        lines.append(line)
    return {mark: _unfolded(text) for mark, text in sections.items()}


def comment_of(sections: Iterable[str]) -> str:
    """Return the comment of these sections, in at most `BUDGET` bytes.

    The worst stands first and open; of several with one sign the order of their markers counts.
    Above several stands how many are worse, undecided and passed.
    Where there is no room the details of the others go first, beginning with the best.
    """
    ordered = sorted(sections, key=lambda section: (_rank(section), section))
    shown = ordered[:1] + [_folded(section) for section in ordered[1:]]
    of_all = _of_all(ordered)
    for shorten in (_without_details, _heading_only):
        for index in reversed(range(len(shown))):
            if sum(len(section.encode()) for section in (of_all, *shown)) <= BUDGET:
                break
            shown[index] = shorten(shown[index])
    mark, line_end, first = shown[0].partition("\n")
    return "".join([mark, line_end, of_all, first, *shown[1:]])


def _of_all(sections: list[str]) -> str:
    """Return the line ``3 gates: 1 worse, 1 undecided, 1 passed``; "" of one gate."""
    if len(sections) < 2:
        return ""
    counts = Counter(_SIGNS.get(_sign(section), _UNTOLD) for section in sections)
    words = [f"{counts[word]:,} {word}" for word in _SIGNS.values() if counts[word]]
    return f"<h3>{len(sections):,} gates: {', '.join(words)}</h3>{_GATES}\n"


def _rank(section: str) -> int:
    sign = _sign(section)
    return [*_SIGNS].index(sign) if sign else 0  # what cannot be told is not hidden


def _sign(section: str) -> str:
    heading = _HEADING.search(section)
    signs = [sign for sign in _SIGNS if heading and heading[1].startswith(sign)]
    return signs[0] if signs else ""


def _folded(section: str) -> str:
    folded, count = _HEADING.subn(
        lambda found: f"<details><summary>{found[1]}</summary>{_FOLD}", section, count=1
    )
    return f"{folded.rstrip()}\n</details>{_FOLD}\n" if count else section


def _unfolded(lines: list[str]) -> str:
    text = "\n".join(lines).rstrip("\n") + "\n"
    opened, count = _FOLDED.subn(lambda found: f"<h3>{found[1]}</h3>", text, count=1)
    return opened.removesuffix(f"</details>{_FOLD}\n") if count else text


def _without_details(section: str) -> str:
    return _INNER.sub(_CUT, section)


def _heading_only(section: str) -> str:
    opened = _unfolded(section.split("\n"))
    mark, _, text = opened.partition("\n")
    heading, old = _HEADING.search(text), _OUTDATED.match(text)
    return f"{mark}\n{old[0] if old else ''}{heading[0] if heading else ''}\n"


def outdated(body: str, new_sha: str) -> str:
    """Return the comment with a line that says what it is about, in place of an older such line."""
    mark, _, text = body.replace("\r\n", "\n").partition("\n")
    head = _HEAD.search(mark)
    old = short_sha(head[1]) if head else ""
    new = short_sha(new_sha) or "a newer commit"
    line = f"<p>⏳ judging {new}; below is for {old or 'an older one'}</p>"
    return f"{mark}\n{line}\n{text[match.end() :] if (match := _OUTDATED.match(text)) else text}"


def dated(section: str, current: str) -> str:
    """Return another gate's section, marked where it speaks of another commit than `current`.

    That gate may be about to write, or not be concerned by the commit at all. Its own line about a
    commit that it is judging stays.
    """
    if not current:
        return section
    mark, _, text = section.partition("\n")
    head = head_of(section)
    bare = text[match.end() :] if (match := _OLDER.match(text)) else text
    if head in ("", current) or _OUTDATED.match(bare):
        return f"{mark}\n{bare}"
    line = f"<p>⏳ an older commit: {short_sha(head)}; the newest is {short_sha(current)}</p>"
    return f"{mark}\n{line}\n{bare}"


def gone_back(there: dict[str, str], seen: dict[str, str], current: str) -> dict[str, str]:
    """Return what was `seen` of the commit `current` and a late write of others put back.

    Args:
        there: The sections by their gate's part of the marker, as they are now.
    """
    return {
        mark: section
        for mark, section in seen.items()
        if current and head_of(section) == current != head_of(there.get(mark, ""))
    }


def head_of(section: str) -> str:
    """Return the commit that a section speaks of, "" where it names none."""
    head = _HEAD.search(section.partition("\n")[0])
    return head[1] if head else ""


def whole(markdown: str) -> str:
    """Return a section as it is stored: with one line end after it."""
    return markdown.rstrip("\n") + "\n"
