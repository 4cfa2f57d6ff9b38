"""The documents that a change edits: the corpus as it stands against a commit."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from ragate.config import Config
from ragate.errors import DatasetError, UsageError
from ragate.pipeline.run.corpus_texts import Texts
from ragate.support import git
from ragate.support.foreign_files import read_text
from ragate.support.git_diff import changed_paths, commit_of, merge_base
from ragate.support.strict_json import loads
from ragate.systems.pgvector.corpus.files import SUFFIXES, readable

Kind = Literal["added", "edited", "removed"]
_BEIR = "corpus.jsonl"


@dataclass(frozen=True)
class ChangedDocuments:
    """What a change does to the documents.

    Attributes:
        base: The commit compared with: the last one that HEAD shares with what was named.
        kinds: By document, in order of their ids.
        before: Texts of edited and removed documents as they were.
    """

    base: str
    kinds: Mapping[str, Kind]
    before: Texts = field(default_factory=dict)


def corpus_folder(config: Config | None, corpus: Path | None) -> Path:
    """Return the folder of the documents.

    Args:
        corpus: The one that is given; it wins over the configured system's.

    Raises:
        UsageError: the system names none, and none is given.
    """
    if corpus is not None:
        return corpus.resolve()
    named = config.system.settings.get("corpus") if config is not None else None
    if config is None or not isinstance(named, str):
        raise UsageError(
            "which documents changed? This system does not tell where they are",
            remedy="name the folder of the documents with --corpus",
        )
    return (config.root / named).resolve()


def changed_documents(folder: Path, texts: Texts, base: str) -> ChangedDocuments:
    """Return what differs in a folder of documents between a commit and the files as they are.

    Args:
        texts: The documents as they are.
        base: A commit, branch or tag. Compared is the last commit that HEAD shares with it, so that
            what others did there since is no part of the change.

    Raises:
        UsageError: git knows no such commit, or none that both share.
    """
    top = git.repository(folder)
    if top is None:
        raise UsageError(
            f"{folder}: not in a git repository, so there is no change to look at",
            remedy="run it in a clone",
        )
    commit = _shared(top, base)
    paths = changed_paths(top, commit, folder.relative_to(top).as_posix() or ".")
    if paths is None:
        raise UsageError(f"git cannot compare {folder} with {base}", remedy="look at `git diff`")
    found = _rows(folder, top, commit, paths) if (folder / _BEIR).exists() else None
    before, now = found or _pages(folder, top, commit, paths, texts)
    kinds = {
        doc_id: _kind(before.get(doc_id), now.get(doc_id))
        for doc_id in sorted({*before, *now})
        if before.get(doc_id) != now.get(doc_id)
    }
    return ChangedDocuments(commit, kinds, before)


def _shared(top: Path, base: str) -> str:
    named = commit_of(top, base)
    if not named:
        raise UsageError(
            f"{base!r}: git knows no such commit here",
            remedy="name a commit, branch or tag; a shallow clone lacks most: `git fetch`",
        )
    commit = merge_base(top, named)
    if not commit:
        raise UsageError(
            f"{base!r}: HEAD shares no commit with it",
            remedy="fetch the whole history: `git fetch --unshallow`, in a workflow fetch-depth: 0",
        )
    return commit


def _kind(before: str | None, now: str | None) -> Kind:
    if before is None:
        return "added"
    return "removed" if now is None else "edited"


def _pages(
    folder: Path, top: Path, commit: str, paths: list[str], texts: Texts
) -> tuple[Texts, Texts]:
    """Return old and new texts of the pages among the changed files, as a reader sees them."""
    before: Texts = {}
    now: Texts = {}
    for path in paths:
        doc_id = (top / path).relative_to(folder).as_posix()
        kind = SUFFIXES.get(Path(path).suffix.lower())
        if kind is None:
            continue
        if old := git.file_at(top, commit, path):
            before[doc_id] = readable(old, kind).strip()
        if doc_id in texts:
            now[doc_id] = texts[doc_id].strip()
    return before, now


def _rows(folder: Path, top: Path, commit: str, paths: list[str]) -> tuple[Texts, Texts]:
    """Return old and new texts of the rows of a BEIR ``corpus.jsonl``; both empty if unchanged."""
    path = (folder.relative_to(top) / _BEIR).as_posix()
    if path not in paths:
        return {}, {}
    text = read_text(folder / _BEIR, error=DatasetError)
    return dict(_documents(git.file_at(top, commit, path))), dict(_documents(text))


def _documents(lines: str) -> Iterator[tuple[str, str]]:
    for line in lines.split("\n"):
        try:
            row = loads(line, where=_BEIR, error=DatasetError) if line.strip() else None
        except DatasetError:
            continue
        if isinstance(row, dict) and "_id" in row:
            yield str(row["_id"]), f"{row.get('title') or ''}\n{row.get('text') or ''}".strip()
