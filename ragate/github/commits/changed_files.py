"""Which files a change touches, whether they can affect the RAG, and answers in the corpus."""

import posixpath
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any

from ragate.config import Config, SystemConfig
from ragate.errors import RagateError
from ragate.files.foreign_files import read_bytes
from ragate.github.commits import git_objects
from ragate.github.commits.change import Base
from ragate.github.commits.commit_tree import Commits, ConfigLocation, Read, text_of
from ragate.models import Sample

_WORDS = re.compile(r"[\s=,;:@'\"`(){}<>|&]+")
_MODULE = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")
API_LISTS = 300
LEAST_CHARS = 20
MOST_FILES = 200
MOST_BYTES = 5 * 1024 * 1024
_SPACE = re.compile(r"\s+")
# They make other files what they are: git writes those by the first, and Python runs the others in
# place of a source.
_OF_OTHERS = (".gitattributes", ".gitmodules", ".lfsconfig", ".pyc", ".so", ".pyd")


def changed_files(base: Base, commits: Commits) -> list[str] | None:
    """Return the paths that the change touches, from the repository's top; None where unknown."""
    if base.trusted:
        return None
    return files_between(commits, base.sha, base.merged, head=base.head)


def files_between(commits: Commits, old: str, new: str, *, head: str = "") -> list[str] | None:
    """Return the paths that differ between two commits; None where not all can be told.

    Args:
        new: "" for a change without a test merge.
        head: What GitHub compares then. It compares with a commit that both come from; there may be
            several, and one of them may hide what a merge takes back.
    """
    try:
        if (root := commits.holding(old)) is not None:
            return list(git_objects.changed_files(root, old, new))
        if commits.repository is None:
            return None
        files = commits.repository.compare_files(old, new or head)
    except RagateError:
        return None
    if len(files) >= API_LISTS:
        return None
    names = [str(file.get(key, "")) for file in files for key in ("filename", "previous_filename")]
    return [name for name in names if name]


def touches(
    changed: Iterable[str],
    patterns: Sequence[str],
    location: ConfigLocation,
    *,
    links: Collection[str] = frozenset(),
) -> bool:
    """Return whether one of the changed files is one that a pattern names, or holds some.

    A submodule or a symbolic link is one changed name, and all that lies below it is another: the
    name of the folder itself stands for what a pattern names in it.

    Args:
        patterns: Relative to the project's folder, as ``inputs`` of the policy.
        links: Those of `changed` that are submodules or symbolic links, as far as it is known.
    """
    rooted = [posixpath.normpath(location.at(pattern)) for pattern in patterns]
    return any(
        _matcher(pattern).fullmatch(name)
        or pattern.startswith(f"{name}/")
        or (name in links and _holds(name.split("/"), pattern.split("/")))
        for name in changed
        for pattern in rooted
    )


def _holds(folder: Sequence[str], pattern: Sequence[str]) -> bool:
    """Return whether the pattern can name something below the folder."""
    for name, glob in zip(folder, pattern, strict=False):
        if glob == "**":
            return True
        if not _matcher(glob).fullmatch(name):
            return False
    return True


@cache
def _matcher(pattern: str) -> re.Pattern[str]:
    """Return a glob as an expression: ``**`` for any folders, ``*`` and ``?`` within one."""
    globs = PurePosixPath(pattern).parts
    if not globs:
        return re.compile(".*", re.DOTALL)  # the project's own folder
    text = ""
    for number, glob in enumerate(globs, 1):
        last = number == len(globs)
        if glob == "**":
            text += ".*" if last else "(?:[^/]+/)*"
            continue
        text += "".join({"*": "[^/]*", "?": "[^/]"}.get(c, re.escape(c)) for c in glob)
        text += "(?:/.*)?" if last else "/"  # a folder's name stands for all that is in it
    return re.compile(text, re.DOTALL)


def copied_answers(
    changed: Sequence[str],
    config: Config,
    samples: Sequence[Sample],
    base: Read,
    location: ConfigLocation,
) -> tuple[str, ...]:
    """Say which changed files of the corpus hold a reference answer now that they did not before.

    Bounded: a few hundred files and a few megabytes; it is a hint to a reviewer, and no proof.
    """
    corpus = config.system.settings.get("corpus")
    if not isinstance(corpus, str):
        return ()
    folder = PurePosixPath(location.at(corpus)).as_posix().strip("/")
    answers = [
        (sample.id, text)
        for sample in samples
        for reference in sample.references
        if len(text := _flat(reference)) >= LEAST_CHARS
    ]
    warnings: list[str] = []
    room = MOST_BYTES
    for name in [path for path in changed if path.startswith(f"{folder}/")][:MOST_FILES]:
        content = _text(config.root / PurePosixPath(name).relative_to(location.folder or "."), room)
        room -= len(content)
        held = [(key, text) for key, text in answers if text in content]
        before = _flat(text_of(base, name)) if held else ""
        if ids := [key for key, text in held if text not in before]:
            warnings.append(
                f"{name} now holds the reference answer of {', '.join(ids[:3])} verbatim"
            )
    return tuple(warnings)


def _text(path: Path, room: int) -> str:
    if room <= 0 or not path.is_file():
        return ""
    try:
        return _flat(read_bytes(path, error=RagateError, max_bytes=room).decode("utf-8", "replace"))
    except RagateError:
        return ""


def _flat(text: str) -> str:
    return _SPACE.sub(" ", text).strip()


# Whether a change can reach the system under test: ``inputs``, and the files of ``[system]``.


def can_reach(
    changed: Sequence[str], config: Config, location: ConfigLocation, base: Base, commits: Commits
) -> bool:
    """Return whether a changed file is one of ``inputs``, or one that ``[system]`` names.

    One that makes other files what they are, such as ``.gitattributes``, may reach any.

    Args:
        config: Policy and system, where base and change name the same system.
    """
    patterns = (*config.policy.inputs, *named_files(config.system))
    if touches(changed, patterns, location) or any(name.endswith(_OF_OTHERS) for name in changed):
        return True
    links = _links(base, commits)
    return links is None or touches(links.intersection(changed), patterns, location, links=links)


def named_files(system: SystemConfig) -> tuple[str, ...]:
    """Return all that the table may mean as a file or folder, as patterns below the project.

    Every word of every value counts, whatever the key: a plugin's keys are its own, a command line
    holds scripts and prompts, and a word that is no file matches none. A dotted name stands for
    its module and for the packages around it.
    """
    texts = texts_of([system.use, system.settings])
    words = [
        word for text in texts for word in (text, *_WORDS.split(text))
    ]  # names may have spaces
    patterns = [pattern for word in words for pattern in (_below(word), *_modules(word))]
    return tuple(dict.fromkeys(filter(None, patterns)))


def texts_of(value: Any) -> Iterator[str]:
    """Yield every text in a value as TOML has them, whatever it is nested in."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from (text for item in value.values() for text in texts_of(item))
    elif isinstance(value, list | tuple):
        yield from (text for item in value for text in texts_of(item))


def _below(word: str) -> str:
    """Return the word as a path; "" where it is none, or leads nowhere below the project."""
    if not word or word.startswith("/") or not word.isprintable():
        return ""
    return posixpath.normpath(word)


def _modules(word: str) -> Iterator[str]:
    if not _MODULE.fullmatch(word):
        return
    names = word.split(".")
    yield from ("/".join(names), f"{'/'.join(names)}.py")
    yield from (f"{'/'.join(names[:depth])}/__init__.py" for depth in range(1, len(names)))


def _links(base: Base, commits: Commits) -> frozenset[str] | None:
    """Return the submodules and symbolic links of both sides; None where they cannot be told."""
    try:
        if (root := commits.holding(base.sha)) is not None:
            changed = git_objects.changed_files(root, base.sha, base.merged)
            return frozenset(path for path, is_link in changed.items() if is_link)
        if commits.repository is None:
            return None
        ends = (base.sha, base.merged or base.head)
        rows = [row for sha in ends for row in commits.repository.tree(sha)]
    except RagateError:
        return None
    return frozenset(str(row.get("path")) for row in rows if row.get("mode") in git_objects.LINKS)
