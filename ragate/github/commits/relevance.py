"""Whether a change can reach the system under test: ``inputs``, and the files of ``[system]``."""

import posixpath
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ragate.config import Config, SystemConfig
from ragate.errors import RagateError
from ragate.github.commits import git_objects
from ragate.github.commits.base_commit import Base
from ragate.github.commits.changed_files import touches
from ragate.github.commits.policy_files import ConfigLocation
from ragate.github.rest.repository import Repository

_LINKS = frozenset({"120000", "160000"})
_WORDS = re.compile(r"[\s=,;:@'\"`(){}<>|&]+")
_MODULE = re.compile(r"[^\W\d]\w*(?:\.[^\W\d]\w*)*")


def can_reach(
    changed: list[str],
    config: Config,
    location: ConfigLocation,
    *,
    base: Base,
    root: Path | None,
    repository: Repository | None,
) -> bool:
    """Return whether a changed file is one of ``inputs``, or one that ``[system]`` names.

    Args:
        config: Policy and system, where base and change name the same system.
        root: The local repository, None where there is none.
    """
    patterns = (*config.policy.inputs, *named_files(config.system))
    if touches(changed, patterns, location):
        return True
    links = _links(base, root, repository)
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


def _links(base: Base, root: Path | None, repository: Repository | None) -> frozenset[str] | None:
    """Return the submodules and symbolic links of both sides; None where they cannot be told."""
    try:
        if root is not None and git_objects.has_tree(root, base.sha):
            return git_objects.changed_links(root, base.sha, base.merged)
        if repository is None:
            return None
        rows = [row for sha in (base.sha, base.head) for row in repository.tree(sha)]
    except RagateError:
        return None
    return frozenset(str(row.get("path")) for row in rows if row.get("mode") in _LINKS)
