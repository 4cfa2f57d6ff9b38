"""What git knows of the project; every answer may be empty."""

import hashlib
import os
import re
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ragate.errors import UsageError
from ragate.files.foreign_files import file_bytes
from ragate.repository.git_process import (
    MOST_BYTES,
    GitError,
    GitObject,
    layout_of,
    one_folder,
    read_object,
    read_setting,
    run_git,
)

MOST_CHANGED = 1000
_LARGE = 64 * 1024 * 1024  # bytes; of a larger file its time tells
_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_SECONDS = 120
_MODULE = "160000 "
# Git would run itself in each, by what is configured there.
_SUBMODULES = "--ignore-submodules=dirty"
# Commit, date, subject, and ":100644 100644 OLD NEW M". A subject holds whatever its writer likes
# but no NUL, so it forges no entry.
_ENTRY = re.compile(r"\x01([0-9a-f]+)\x02([^\x02\0]*)\x02([^\0]*)\0\n?:\d+ \d+ \w+ (\w+) \w+\0")


def head_commit(root: Path) -> str:
    """Return the full sha of HEAD, or "" where there is no repository, commit or git."""
    head = _object(root, "HEAD^{commit}")
    return head.sha if head is not None else ""


def branch(root: Path) -> str:
    """Return the name of the branch that is checked out, "" where none is."""
    return _git(root, "symbolic-ref", "--quiet", "--short", "HEAD")


def is_clean(root: Path, *, but: Sequence[Path] = ()) -> bool:
    """Return True where all files are as in HEAD and none is new; False where git cannot tell.

    Args:
        but: Files and folders that do not count.
    """
    # The branch line is always there, so that no output means no answer.
    top = repository(root) if but else None
    real = [path.resolve() for path in but if top is not None]
    outside = [
        f":(top,exclude,literal){path.relative_to(top).as_posix()}"
        for path in real
        if top is not None and path != top and path.is_relative_to(top)
    ]
    paths = ["--", ":/", *outside] if outside else []
    status = ("status", "--porcelain", "--branch", _SUBMODULES)
    lines = _git(root, *status, *paths).splitlines()
    if len(lines) != 1 or not lines[0].startswith("## "):
        return False
    return all(any(map(path.is_relative_to, real)) for path in _dirty_submodules(root))


def changed_files(
    root: Path, *, but: Sequence[Path] = (), new: bool = True
) -> dict[str, str] | None:
    """Return a hash of each file that is not as in HEAD, by its path from the work tree.

    What Python compiled does not count. None where git cannot tell, or of more than `MOST_CHANGED`.

    Args:
        but: Files and folders that do not count.
        new: Files count that git does not track.
    """
    top = repository(root)
    real = [path.resolve() for path in but]
    untracked = f"--untracked-files={'all' if new else 'no'}"
    status = ("status", "--porcelain", "--branch", "-z", "--no-renames", untracked, _SUBMODULES)
    entries = (answer(root, *status) or "").split("\0")
    if top is None or not entries[0].startswith("## "):
        return None
    paths = [top / entry[3:] for entry in entries[1:] if entry]
    paths += [path for path in _dirty_submodules(root) if path not in paths]
    wanted = [
        path
        for path in paths
        if path.parent.name != "__pycache__" and not any(map(path.is_relative_to, real))
    ]
    if len(wanted) > MOST_CHANGED:
        return None
    return {path.relative_to(top).as_posix(): _content(path) for path in wanted}


def _content(path: Path) -> str:
    """Return what tells one content of a path from another."""
    try:
        facts = path.lstat()
        if not stat.S_ISREG(facts.st_mode) or facts.st_size > _LARGE:
            return f"{facts.st_mode}:{facts.st_size}:{facts.st_mtime_ns}"
        return hashlib.sha256(file_bytes(path, max_bytes=_LARGE)).hexdigest()[:16]
    except OSError:
        return ""


def repository(folder: Path) -> Path | None:
    """Return the real path of the work tree that `folder` is in, None where there is none."""
    if not _may_be_in_repository(folder):
        return None
    try:
        return layout_of(folder).top
    except GitError:
        return None


def _dirty_submodules(root: Path) -> list[Path]:
    """Return the submodules with changes in them: git would ask each by its own configuration."""
    top = repository(root)
    if top is None or not os.path.lexists(top / ".gitmodules"):
        return []
    entries = (answer(top, "ls-files", "--stage", "-z") or "").split("\0")
    modules = [top / entry.partition("\t")[2] for entry in entries if entry.startswith(_MODULE)]
    return [path for path in modules if repository(path) == path.resolve() and not is_clean(path)]


def is_ignored(top: Path, path: Path) -> bool:
    """Return True where the repository at `top` ignores `path`."""
    return bool(_git(top, "check-ignore", "--", str(path)))


def is_tracked(top: Path, path: Path) -> bool:
    """Return True where the repository at `top` knows `path`: committed, or about to be."""
    return bool(_git(top, "ls-files", "--", str(path)))


def file_at(top: Path, commit: str, path: str) -> str:
    """Return a file of the repository at `top` as it was at a commit, "" where it was not there."""
    file = _object(top, f"{commit}:{path}") if _COMMIT.fullmatch(commit) else None
    if file is None or file.kind != "blob":
        return ""
    return (file.content or b"").decode("utf-8", "replace").strip()


def files(top: Path) -> list[str]:
    """Return the paths of all files in the work tree that git knows or would add."""
    known = _git(top, "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    return [path for path in known.split("\0") if path and os.path.lexists(top / path)]


def last_commit_with(top: Path, path: str) -> str:
    """Return the commit that last wrote a file which may be gone now, "" where there is none."""
    wrote = ("log", "-1", "--format=%H", "--diff-filter=AM", "--", f":(top,literal){path}")
    return _git(top, *wrote)


def main_branch(top: Path) -> str:
    """Return the name of the main branch: the remote's, else main or master, else ``main``."""
    remote = _git(top, "symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD")
    if remote:
        return remote.removeprefix("origin/")
    local = (name for name in ("main", "master") if _git(top, "rev-parse", "--verify", "-q", name))
    return next(local, _git(top, "symbolic-ref", "--quiet", "--short", "HEAD") or "main")


def merge_parent(top: Path) -> str:
    """Return the first parent of HEAD where HEAD is a merge and the parent is here, else ""."""
    commits = _git(top, "rev-list", "--parents", "--max-count=1", "HEAD").split()
    return commits[1] if len(commits) == 3 else ""


def branch_point(top: Path) -> str:
    """Return the last commit that HEAD shares with the main branch; "" where none has its name."""
    names = ("origin/HEAD", "origin/main", "origin/master", "main", "master")
    return next(filter(None, (merge_base(top, name) for name in names)), "")


def differs(top: Path, commit: str, path: str) -> bool | None:
    """Return whether a file or folder is not what it was at a commit; None where git cannot tell.

    Files that git does not know yet count as well, ignored or not.
    """
    paths = changed_paths(top, commit, path, ignored=True)
    return None if paths is None else bool(paths)


def remote_url(top: Path) -> str:
    """Return the address of the remote ``origin``, "" where there is none."""
    return _setting(top, "remote.origin.url")


def user_name(folder: Path) -> str:
    """Return the name that commits made here would carry, "" where none is set."""
    return _setting(folder, "user.name")


def _setting(folder: Path, key: str) -> str:
    try:
        return read_setting(folder, key)
    except GitError:
        return ""


def _git(root: Path, *arguments: str, seconds: float = 10) -> str:
    return answer(root, *arguments, seconds=seconds) or ""


def answer(root: Path, *arguments: str, seconds: float = 10) -> str | None:
    """Return what git prints, None where it fails, takes too long, or is not there."""
    if not _may_be_in_repository(root):
        return None
    try:
        done = run_git(root, *arguments, seconds=seconds)
    except GitError:
        return None
    return done.stdout.decode("utf-8", "replace").strip() if done.returncode == 0 else None


def _object(root: Path, name: str, *, most_bytes: int = MOST_BYTES) -> GitObject | None:
    if not _may_be_in_repository(root):
        return None
    try:
        return read_object(root, name, most_bytes=most_bytes)
    except GitError:
        return None


def _may_be_in_repository(root: Path) -> bool:
    """Return False where git would find nothing: a run asks it often."""
    here = root.absolute()
    around = {here, *here.parents, *here.resolve().parents}
    return "GIT_DIR" in os.environ or any(os.path.lexists(folder / ".git") for folder in around)


# What of the work tree differs from a commit that somebody names.


def commit_of(top: Path, name: str) -> str:
    """Return the full sha of a commit, branch or tag, "" where there is none of that name."""
    wanted = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    return _git(top, *wanted) if name and "\0" not in name else ""


def merge_base(top: Path, commit: str) -> str:
    """Return the last commit that HEAD shares with `commit`, "" where there is none here."""
    return _git(top, "merge-base", "HEAD", commit)


def changed_paths(top: Path, commit: str, path: str, *, ignored: bool = False) -> list[str] | None:
    """Return the files below `path` that are not as at a commit; None where git cannot tell.

    New files count; those that git ignores with `ignored` only. Paths are from the repository's
    top.
    """
    literal = f":(top,literal){path}"
    names = ("diff", "--no-ext-diff", "--no-renames", "--name-only", "-z", _SUBMODULES)
    diff = answer(top, *names, commit, "--", literal)
    standard = () if ignored else ("--exclude-standard",)
    others = answer(top, "ls-files", "-z", "--others", *standard, "--", literal)
    if diff is None or others is None:
        return None
    wanted = top / path
    inner = [module for module in _dirty_submodules(top) if module.is_relative_to(wanted)]
    modules = "\0".join(module.relative_to(top).as_posix() for module in inner)
    return sorted({name for name in f"{diff}\0{others}\0{modules}".split("\0") if name})


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
        done = run_git(top, *wanted, "HEAD", "--", f":(top,literal){path}", seconds=_SECONDS)
    except GitError as error:
        raise _no_history(top, str(error)) from error
    if done.returncode:
        raise _no_history(top, done.stderr.decode(errors="replace").strip())
    text = done.stdout.decode("utf-8", errors="replace")
    return [_commit(found) for found in reversed(list(_ENTRY.finditer(text)))]


def _no_history(top: Path, reason: str) -> UsageError:
    return UsageError(
        f"{top}: git tells no history: {(reason.splitlines() or ['no reason given'])[0]}",
        remedy="run it in the repository that the baseline is committed to",
    )


def _commit(found: re.Match[str]) -> FileCommit:
    commit, date, subject, blob = found.groups()
    return FileCommit(commit, date, subject, "" if set(blob) <= {"0"} else blob)


def commits_of_branch(top: Path) -> frozenset[str]:
    """Return the commits of the checked-out branch, by first parents; none where git fails."""
    return frozenset(_git(top, "rev-list", "--first-parent", "HEAD", seconds=_SECONDS).split())


def is_shallow(top: Path) -> bool:
    """Return True where the clone holds only its newest commits."""
    return _git(top, "rev-parse", "--is-shallow-repository") == "true"


def blobs(
    top: Path, names: Sequence[str], *, most_bytes: int
) -> Iterator[tuple[str, bytes | None]]:
    """Yield the contents of blobs, in order; None for one that is missing or too large."""
    with one_folder():
        for name in names:
            found = _object(top, name, most_bytes=most_bytes)
            yield name, found.content if found is not None and found.kind == "blob" else None
