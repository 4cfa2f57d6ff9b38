"""How git is run: it gets no key, and starts nothing that a repository's configuration names.

Code under test may write that configuration, and git obeys it: filters and drivers of attributes,
monitors, hooks, programs that check signatures, transports with their helpers. So git is shown a
folder of ours in place of ``.git``, for as long as one call takes: its objects, references and
index are links to the real ones, and of the configuration it holds only how files are read.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import IO

from ragate.files.foreign_files import file_bytes

# Without these hardly a program runs; nothing of them is anybody's secret.
ORDINARY = (
    *("PATH", "HOME", "USER", "LOGNAME", "TMPDIR", "TMP", "TEMP", "TZ", "SYSTEMROOT"),
    *("LANG", "LANGUAGE", "LC_ALL", "LC_CTYPE", "LC_MESSAGES", "LD_LIBRARY_PATH"),
)
# Where the caller says that the repository is; nothing else that begins with GIT_ is heard.
_PLACES = ("GIT_DIR", "GIT_WORK_TREE", "GIT_COMMON_DIR", "GIT_INDEX_FILE", "XDG_CONFIG_HOME")
_QUIET = {
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
}
# All that our folder takes from the configuration; none of these names a program.
_READING = (
    *("core.repositoryformatversion", "extensions.objectformat", "extensions.refstorage"),
    *("core.autocrlf", "core.eol", "core.filemode", "core.ignorecase", "core.symlinks"),
    *("core.precomposeunicode", "core.checkstat", "core.trustctime"),
)
_SHARED = ("objects", "refs", "packed-refs", "reftable", "shallow")
_OWN = ("index", "logs", "FETCH_HEAD", "ORIG_HEAD", "MERGE_HEAD")
_MOST_HEAD = 4096
_SECONDS = 10.0
_READ_SECONDS = 60.0
MOST_BYTES = 512 * 1024**2
_PIECE = 1024**2
_SHA256 = 64  # characters of a name in repositories of this kind; of others SHA-1


class GitError(Exception):
    """There is no git, no repository, or no answer in time."""


@dataclass(frozen=True)
class Layout:
    """Where the parts of a repository are.

    Attributes:
        top: The work tree; None of a bare repository.
        own: The ``.git`` of this work tree.
        common: That of all its work trees.
        reading: What `_READING` names, as the repository has it set.
        excludes: The user's file of what is ignored everywhere.
    """

    top: Path | None
    own: Path
    common: Path
    index: Path
    reading: Mapping[str, str]
    excludes: Path


def run_git(
    root: Path, *arguments: str, seconds: float = _SECONDS
) -> subprocess.CompletedProcess[bytes]:
    """Return what git says of the repository that `root` is in.

    Raises:
        GitError: there is no git, no repository, or no answer in time.
    """
    with _shown(root) as folder:
        return _run([git_program(), "-C", str(root), *arguments], folder.environment, seconds)


def read_setting(root: Path, key: str) -> str:
    """Return a key of the real configuration, "" where it is not set: to read it runs nothing.

    Raises:
        GitError: there is no git, or no answer in time.
    """
    return _real(root, "config", "--get", key).stdout.decode("utf-8", "replace").strip()


@dataclass(frozen=True)
class GitObject:
    """A commit, a folder ("tree") or a file ("blob") of a repository.

    Attributes:
        content: None where it is larger than was asked for.
    """

    sha: str
    kind: str
    content: bytes | None


def read_object(root: Path, name: str, *, most_bytes: int = MOST_BYTES) -> GitObject | None:
    """Return an object of the repository that `root` is in, None where there is none.

    A partial clone holds a commit without its files: git would fetch one after the other, and here
    it fetches none. An object whose content is not what its name says is refused: a step of the
    same job may have written it.

    Args:
        name: Its sha, or another name, such as ``HEAD^{commit}``.

    Raises:
        GitError: there is no git, no repository, or no answer in time.
    """
    if "\n" in name or name.endswith("\r"):  # no line that can be asked
        name = os.fsdecode(run_git(root, "rev-parse", "--verify", "--quiet", name).stdout).strip()
        if not name:
            return None
    with _shown(root) as folder:
        return folder.read(name, most_bytes)


class _ShownFolder:
    """A folder of ours that git is shown in place of ``.git``, and a process that reads objects."""

    def __init__(self, layout: Layout) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="ragate-git-")
        self._root = layout.top or layout.own
        self._reader: subprocess.Popen[bytes] | None = None
        own = self._folder.name
        self.environment = _environment(ORDINARY) | _QUIET | {"HOME": own, "GIT_DIR": own}
        if layout.top is not None:
            self.environment["GIT_WORK_TREE"] = str(layout.top)
        try:
            _furnish(Path(own), layout)
        except BaseException:
            self.close()
            raise

    def read(self, name: str, most_bytes: int) -> GitObject | None:
        reader = self._reader = self._reader or self._started()
        late = threading.Timer(_READ_SECONDS, reader.kill)
        try:
            late.start()
            return _answer(reader, name, most_bytes)
        except BaseException as error:
            self._end_reader()  # what it has still to say is no answer to the next question
            if isinstance(error, (OSError, ValueError, RuntimeError)):
                raise GitError(f"git cat-file ended early: {error}") from error
            raise
        finally:
            late.cancel()

    def _started(self) -> subprocess.Popen[bytes]:
        try:
            return subprocess.Popen(  # noqa: S603
                [git_program(), "-C", str(self._root), "cat-file", "--batch"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=self.environment,
            )
        except OSError as error:
            raise GitError(str(error)) from error

    def _end_reader(self) -> None:
        reader, self._reader = self._reader, None
        if reader is not None:
            reader.kill()
            reader.communicate()

    def close(self) -> None:
        self._end_reader()
        self._folder.cleanup()


def _answer(reader: subprocess.Popen[bytes], name: str, most_bytes: int) -> GitObject | None:
    """Ask for one object; what comes is ``SHA KIND SIZE``, or ``NAME missing``, and the content."""
    assert reader.stdin is not None
    assert reader.stdout is not None
    reader.stdin.write(os.fsencode(f"{name}\n"))
    reader.stdin.flush()
    line = reader.stdout.readline()
    if not line:
        raise ValueError("no answer")
    words = line.decode("utf-8", "replace").split()
    if len(words) != 3 or not words[2].isdecimal():
        return None
    size = int(words[2])
    if size > most_bytes:
        _skip(reader.stdout, size + 1)
        return GitObject(words[0], words[1], None)
    content = reader.stdout.read(size + 1)
    if len(content) <= size:
        raise ValueError("half an answer")
    answer = GitObject(words[0], words[1], content[:-1])
    if not _is_whole(answer):
        raise ValueError(f"the object {answer.sha} is not what its name says")
    return answer


def _is_whole(answer: GitObject) -> bool:
    content = answer.content or b""
    kind = "sha256" if len(answer.sha) == _SHA256 else "sha1"
    made = hashlib.new(kind, f"{answer.kind} {len(content)}\0".encode(), usedforsecurity=False)
    made.update(content)
    return made.hexdigest() == answer.sha


def _skip(stream: IO[bytes], size: int) -> None:
    while size > 0 and (piece := stream.read(min(size, _PIECE))):
        size -= len(piece)


# One folder for many calls, as long as nobody else's code runs who could write into it. Threads
# take turns: an answer belongs to who asked.

_turn = threading.RLock()
_kept: dict[Path, _ShownFolder] | None = None


@contextmanager
def one_folder() -> Iterator[None]:
    """Show git one folder until the end, or until code under test starts."""
    global _kept
    with _turn:
        is_outer = _kept is None
        if is_outer:
            _kept = {}
    try:
        yield
    finally:
        if is_outer:
            keep_no_folder()


def keep_no_folder() -> None:
    """Remove what was kept, and show git another folder in each call from now on."""
    global _kept
    with _turn:
        kept, _kept = _kept or {}, None
        for folder in kept.values():
            folder.close()


@contextmanager
def _shown(root: Path) -> Iterator[_ShownFolder]:
    layout = layout_of(root)
    with _turn:
        if _kept is not None:
            if layout.own not in _kept:
                _kept[layout.own] = _ShownFolder(layout)
            yield _kept[layout.own]
            return
    with closing(_ShownFolder(layout)) as folder:
        yield folder


def layout_of(root: Path) -> Layout:
    """Return where the repository that `root` is in has its parts; asked once.

    Raises:
        GitError: there is no git, or no repository.
    """
    return _layout(str(root.absolute()), tuple(os.environ.get(name) for name in _PLACES))


@lru_cache(64)
def _layout(root: str, _places: tuple[str | None, ...]) -> Layout:
    folder = Path(root)
    parts = ("--absolute-git-dir", "--git-common-dir", "--git-path", "index", "--show-toplevel")
    found = _real(folder, "rev-parse", *parts)
    lines = os.fsdecode(found.stdout).splitlines()
    if len(lines) not in (3, 4):  # a bare repository tells no work tree
        raise GitError(found.stderr.decode("utf-8", "replace").strip() or "no repository")
    own, common, index = (Path(os.path.abspath(folder / line)) for line in lines[:3])  # noqa: PTH100
    top = Path(lines[3]).resolve() if lines[3:] else None
    settings = _settings(folder)
    home = os.environ.get("XDG_CONFIG_HOME") or Path("~/.config").expanduser()
    return Layout(
        top,
        own,
        common,
        index,
        {key: settings[key] for key in _READING if key in settings},
        Path(settings.get("core.excludesfile") or Path(home, "git", "ignore")).expanduser(),
    )


def _settings(folder: Path) -> dict[str, str]:
    """Return the configuration by lower-case keys; what comes last holds."""
    entries = os.fsdecode(_real(folder, "config", "-z", "--list").stdout).split("\0")
    pairs = (entry.partition("\n") for entry in entries if entry)
    return {key.lower(): value if line else "true" for key, line, value in pairs}


def _furnish(own: Path, layout: Layout) -> None:
    """Fill our folder: links to what is read, and configuration that names no program."""
    for name in _SHARED:
        (own / name).symlink_to(layout.common / name)
    for name in _OWN:
        (own / name).symlink_to(layout.index if name == "index" else layout.own / name)
    for part in layout.index.parent.glob("sharedindex.*"):
        (own / part.name).symlink_to(part)
    (own / "info").mkdir()
    (own / "info" / "exclude").symlink_to(layout.common / "info" / "exclude")
    try:
        head = file_bytes(layout.own / "HEAD", max_bytes=_MOST_HEAD)
    except OSError as error:
        raise GitError(f"{layout.own / 'HEAD'}: {error.strerror or error}") from error
    (own / "HEAD").write_bytes(head)
    settings = {**layout.reading, "core.excludesfile": str(layout.excludes)}
    text = "".join(
        f"[{key.partition('.')[0]}]\n{key.partition('.')[2]} = {_quoted(value)}\n"
        for key, value in settings.items()
    )
    (own / "config").write_text(text, encoding="utf-8", errors="surrogateescape")


def _quoted(value: str) -> str:
    text = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{text}"'


def _real(root: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    """Ask about the repository itself: only what reads no file of the work tree, nor the index."""
    # It may belong to another user: a container's workspace does.
    argv = [git_program(), "-c", "safe.directory=*", "-C", str(root), *arguments]
    return _run(argv, _environment((*ORDINARY, *_PLACES)) | {"GIT_PAGER": "cat"}, _SECONDS)


def _run(
    argv: list[str], environment: Mapping[str, str], seconds: float
) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(  # noqa: S603
            argv,
            capture_output=True,
            stdin=subprocess.DEVNULL,
            timeout=seconds,
            check=False,
            env=environment,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise GitError(str(error)) from error


def _environment(names: tuple[str, ...]) -> dict[str, str]:
    return {name: os.environ[name] for name in names if name in os.environ}


@lru_cache(1)
def git_program() -> str:
    """Return git by its full path, found once: never in a folder that is named relatively.

    Raises:
        GitError: there is none.
    """
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    path = os.pathsep.join(folder for folder in folders if Path(folder).is_absolute())
    found = shutil.which("git", path=path)
    if found is None:
        raise GitError("there is no git")
    return found
