"""Which documents questions expect, and which a change touches."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from ragate.answers.corpus_texts import Texts
from ragate.config import Config
from ragate.core.doc_ids import folded, tails
from ragate.dataset import Entry
from ragate.errors import DatasetError, UsageError
from ragate.files.foreign_files import read_text
from ragate.files.strict_json import loads
from ragate.repository import git
from ragate.repository.git import changed_paths, commit_of, merge_base
from ragate.systems.pgvector.corpus import SUFFIXES, readable

# The documents that a change edits: the corpus as it stands against a commit.

Kind = Literal["added", "edited", "removed"]
BEIR = "corpus.jsonl"


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


def corpus_folder(config: Config | None, corpus: Path | None) -> Path | None:
    """Return the folder of the documents, None where the system names none and none is given.

    Args:
        corpus: The one that is given; it wins over the configured system's.
    """
    if corpus is not None:
        return corpus.resolve()
    named = config.system.settings.get("corpus") if config is not None else None
    return (config.root / named).resolve() if config and isinstance(named, str) else None


def changed_documents(folder: Path | None, texts: Texts, base: str) -> ChangedDocuments:
    """Return what differs in a folder of documents between a commit and the files as they are.

    Args:
        folder: As `corpus_folder` returns it.
        texts: The documents as they are.
        base: A commit, branch or tag. Compared is the last commit that HEAD shares with it, so that
            what others did there since is no part of the change.

    Raises:
        UsageError: nobody names the folder, git knows no such commit, or none that both share.
    """
    if folder is None:
        raise UsageError(
            "which documents changed? This system does not tell where they are",
            remedy="name the folder of the documents with --corpus",
        )
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
    found = _rows(folder, top, commit, paths) if (folder / BEIR).exists() else None
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
    path = (folder.relative_to(top) / BEIR).as_posix()
    if path not in paths:
        return {}, {}
    text = read_text(folder / BEIR, error=DatasetError)
    return dict(beir_documents(git.file_at(top, commit, path))), dict(beir_documents(text))


def beir_documents(lines: str) -> Iterator[tuple[str, str]]:
    """Yield id and text of each row of a BEIR ``corpus.jsonl``; other lines are left out."""
    for line in lines.split("\n"):
        try:
            row = loads(line, where=BEIR, error=DatasetError) if line.strip() else None
        except DatasetError:
            continue
        if isinstance(row, dict) and "_id" in row:
            yield str(row["_id"]), f"{row.get('title') or ''}\n{row.get('text') or ''}".strip()


@dataclass(frozen=True)
class Coverage:
    """Documents beside the questions of a golden set; drafts are no questions yet.

    Attributes:
        documents: How many were looked at: those that a change adds or edits, or all.
        unasked: Those of them that no question expects.
        drafted: Those of `unasked` that a draft expects.
        touched: By question, the changed documents that it expects.
        removed: By question, the documents that it expects and the change removes.
    """

    documents: int
    unasked: tuple[str, ...]
    drafted: tuple[str, ...] = ()
    touched: dict[str, tuple[str, ...]] | None = None
    removed: dict[str, tuple[str, ...]] | None = None


def coverage(
    entries: Sequence[Entry], texts: Texts, changed: ChangedDocuments | None = None
) -> Coverage:
    """Return what questions expect of the documents.

    An expected id that names no document is taken for one that is written otherwise: without its
    folder or ending, or as a URL.

    Args:
        changed: Only the documents of this change; None looks at all.
    """
    kinds = changed.kinds if changed is not None else {}
    gone = sorted(doc_id for doc_id, kind in kinds.items() if kind == "removed")
    subject = sorted(kinds.keys() - set(gone) if changed is not None else texts)
    index = _Index(subject, {*texts, *gone})
    asked = [entry for entry in entries if not entry.draft]
    covered = index.expected_by(asked)
    unasked = tuple(doc_id for doc_id in subject if doc_id not in covered)
    drafts = index.expected_by(entry for entry in entries if entry.draft)
    found = Coverage(len(subject), unasked, tuple(sorted(drafts.intersection(unasked))))
    if changed is None:
        return found
    removed = _Index(gone, {*texts, *gone})
    return replace(found, touched=index.by_question(asked), removed=removed.by_question(asked))


def to_draft_for(
    entries: Sequence[Entry], texts: Texts, changed: ChangedDocuments
) -> tuple[str, ...]:
    """Return the documents of a change that neither a question nor a draft expects."""
    found = coverage(entries, texts, changed)
    return tuple(doc_id for doc_id in found.unasked if doc_id not in found.drafted)


class _Index:
    """Some documents, by every way in which an expected id may mean one of them.

    Args:
        known: All documents: an id that is one of them means that one and no other.
    """

    def __init__(self, documents: Sequence[str], known: Collection[str]) -> None:
        self._documents, self._known = frozenset(documents), known
        self._by_name: dict[str, list[str]] = defaultdict(list)
        self._by_tail: dict[str, list[str]] = defaultdict(list)
        for doc_id in documents:
            name = folded(doc_id)
            self._by_name[name].append(doc_id)
            for tail in tails(name):
                self._by_tail[tail].append(doc_id)

    def expected_by(self, entries: Iterable[Entry]) -> set[str]:
        """Return the documents that any of the samples expects."""
        return {doc for entry in entries for doc in self._of(entry.sample.expected)}

    def by_question(self, entries: Iterable[Entry]) -> dict[str, tuple[str, ...]]:
        """Return, by sample, the documents that it expects; samples without any are left out."""
        found = {entry.sample.id: tuple(self._of(entry.sample.expected)) for entry in entries}
        return {sample_id: docs for sample_id, docs in found.items() if docs}

    def _of(self, expected: Iterable[str]) -> list[str]:
        meant: dict[str, None] = {}
        for doc_id in sorted(expected):
            if doc_id in self._known:
                meant |= dict.fromkeys([doc_id] if doc_id in self._documents else [])
                continue
            name = folded(doc_id)
            ends = (doc for tail in tails(name) for doc in self._by_name.get(tail, ()))
            meant |= dict.fromkeys([*self._by_tail.get(name, ()), *ends])
        return list(meant)
