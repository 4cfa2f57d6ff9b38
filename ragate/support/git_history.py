"""A file over the commits of a branch, read from git in two processes however many there are."""

import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import IO

from ragate.errors import UsageError
from ragate.support.git import GIT

_SECONDS = 120
# Commit, date, subject, and ":100644 100644 OLD NEW M". A subject holds whatever its writer likes
# but no NUL, so it forges no entry.
_ENTRY = re.compile(r"\x01([0-9a-f]+)\x02([^\x02\0]*)\x02([^\0]*)\0\n?:\d+ \d+ \w+ (\w+) \w+\0")


@dataclass(frozen=True)
class FileCommit:
    """A commit that wrote a file.

    Attributes:
        date: Of the commit: ISO 8601, with its zone.
        blob: Names the content; "" where the commit removed the file.
    """

    commit: str
    date: str
    subject: str
    blob: str


def file_commits(top: Path, path: str, *, most: int, since: str = "") -> list[FileCommit]:
    """Return the newest commits that changed a file, oldest first.

    Only first parents are followed: what a merge brought counts as of the merge.

    Args:
        path: From the top of the repository, with ``/``.
        since: A day, ISO 8601; "" for all.

    Raises:
        UsageError: git cannot tell: no repository, no commit, or no git.
    """
    wanted = ["log", "--first-parent", "-m", "--raw", "--no-abbrev", "--no-renames"]
    wanted += ["-z", f"--max-count={most}", "--format=%x01%H%x02%cI%x02%s"]
    wanted += [f"--since={since}T00:00:00Z"] if since else []
    try:
        done = subprocess.run(  # noqa: S603
            [*GIT, "-C", str(top), *wanted, "HEAD", "--", f":(top,literal){path}"],
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise UsageError(f"git cannot be asked: {error}", remedy="install git") from error
    if done.returncode:
        reason = done.stderr.decode(errors="replace").strip().splitlines()
        raise UsageError(
            f"{top}: git tells no history: {reason[0] if reason else 'no reason given'}",
            remedy="run it in the repository that the baseline is committed to",
        )
    text = done.stdout.decode("utf-8", errors="replace")
    return [_commit(found) for found in reversed(list(_ENTRY.finditer(text)))]


def _commit(found: re.Match[str]) -> FileCommit:
    commit, date, subject, blob = found.groups()
    return FileCommit(commit, date, subject, "" if set(blob) <= {"0"} else blob)


def commits_of_branch(top: Path) -> frozenset[str]:
    """Return the commits of the checked-out branch, by first parents; none where git fails."""
    return frozenset(_answer(top, "rev-list", "--first-parent", "HEAD").split())


def is_shallow(top: Path) -> bool:
    """Return True where the clone holds only its newest commits."""
    return _answer(top, "rev-parse", "--is-shallow-repository").strip() == "true"


def _answer(top: Path, *arguments: str) -> str:
    try:
        done = subprocess.run(  # noqa: S603
            [*GIT, "-C", str(top), *arguments], capture_output=True, timeout=_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return "" if done.returncode else done.stdout.decode(errors="replace")


def blobs(
    top: Path, names: Sequence[str], *, most_bytes: int
) -> Iterator[tuple[str, bytes | None]]:
    """Yield the contents of blobs, in order; None for one that is missing or too large.

    A partial clone holds a commit without its files: git would fetch one after the other, and here
    it fetches none.
    """
    process = subprocess.Popen(  # noqa: S603
        [*GIT, "-c", "protocol.allow=never", "-C", str(top), "cat-file", "--batch"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"GIT_NO_LAZY_FETCH": "1"},
    )
    with suppress(BrokenPipeError), process:  # an older git ends at the first missing one
        if process.stdin is None or process.stdout is None:  # both are pipes
            return
        # One name ahead: git unpacks the next content while this one is read.
        for name, ahead in zip_longest([None, *names], names):
            if ahead is not None:
                process.stdin.write(f"{ahead}\n".encode())
                process.stdin.flush()
            if name is not None:
                yield name, _content(process.stdout, most_bytes)
        process.stdin.close()


def _content(stream: IO[bytes], most_bytes: int) -> bytes | None:
    words = stream.readline().split()
    if len(words) != 3:  # "NAME missing"
        return None
    size = int(words[2])
    content = _read(stream, size, keep=size <= most_bytes)
    stream.read(1)
    return content if words[1] == b"blob" else None


def _read(stream: IO[bytes], size: int, *, keep: bool) -> bytes | None:
    if keep:
        return stream.read(size)
    while size > 0:
        size -= len(stream.read(min(size, 1024 * 1024)))
    return None
