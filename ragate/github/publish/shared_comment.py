"""One comment for all gates of a repository: a section each, the worst first, the others folded.

A section begins with its gate's marker and ends where the next one begins: no text of others can
hold a line like that, since what is foreign in a comment is escaped.
"""

import re
from collections.abc import Iterable

from ragate.support.escape import short_sha

BUDGET = 60_000  # UTF-8 bytes; GitHub takes 65,536 characters
START = "<!-- ragate:1 gate="
_FOLD = "<!-- ragate:fold -->"
_SIGNS = ("❌", "⏸️", "🟡", "👋", "✅")
_HEADING = re.compile(r"<h3>(.*)</h3>")
_FOLDED = re.compile(rf"<details><summary>(.*)</summary>{_FOLD}")
_INNER = re.compile(r"(?ms)^<details><summary>(?:(?!<!-- ragate:fold -->).)*?^</details>\n")
_OUTDATED = re.compile(r"<p>⏳ (?:judging|an older commit:) [^\n]*</p>\n")
_OLDER = re.compile(r"<p>⏳ an older commit: [^\n]*</p>\n")
_HEAD = re.compile(r"head=([0-9a-f]{7,64}) -->$")
_CUT = "<p>The rest stands in the job summary.</p>\n"


def sections_of(body: str) -> dict[str, str]:
    """Return the sections of a comment by their gate's part of the marker, as each gate wrote it.

    What stands before the first marker is no section; {} for a comment without any.
    """
    sections: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in body.replace("\r\n", "\n").split("\n"):
        if line.startswith(START) and line.endswith("-->"):
            lines = sections.setdefault(_mark(line), [])
            lines.clear()
        lines.append(line)
    return {mark: _unfolded(text) for mark, text in sections.items()}


def comment_of(sections: Iterable[str]) -> str:
    """Return the comment of these sections, in at most `BUDGET` bytes.

    The worst stands first and open; of several with one sign the order of their markers counts.
    Where there is no room the details of the others go first, beginning with the best.
    """
    ordered = sorted(sections, key=lambda section: (_rank(section), section))
    shown = ordered[:1] + [_folded(section) for section in ordered[1:]]
    for shorten in (_without_details, _heading_only):
        for index in reversed(range(len(shown))):
            if sum(len(section.encode()) for section in shown) <= BUDGET:
                break
            shown[index] = shorten(shown[index])
    return "".join(shown)


def _mark(line: str) -> str:
    return line.partition("head=")[0]


def _rank(section: str) -> int:
    heading = _HEADING.search(section)
    signs = [n for n, sign in enumerate(_SIGNS) if heading and heading[1].startswith(sign)]
    return signs[0] if signs else 0  # what cannot be told is not hidden


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
