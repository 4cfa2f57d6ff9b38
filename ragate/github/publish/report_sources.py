"""What did it, from the diff, and pages of questions and documents: what a comment links to."""

import json
import posixpath
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath
from urllib.parse import quote

from ragate.errors import RagateError
from ragate.github.commits.commit_tree import Tree
from ragate.github.publish.changed_sources import (
    Sources,
    changed_keys,
    document_paths,
    first_changed,
)
from ragate.models import ChangedPart, ChangeOrigin, Report, SampleRow
from ragate.systems.pgvector.corpus import SUFFIXES

MOST = 30  # each costs a look into the repository
_DRAFT = re.compile(r'"draft"\s*:\s*true')
MOST_PARTS = 10
MOST_SAMPLES = 60
MOST_DOCUMENTS = 20  # each costs a look into the repository
_LONGEST_PATH = 400
_MOST_FOLDERS = 20
_LOCKS = re.compile(
    r"uv\.lock|poetry\.lock|pdm\.lock|pylock.*\.toml|Pipfile\.lock|requirements[^/]*\.txt|"
    r"package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|"
    r"environment\.ya?ml|conda-lock\.ya?ml|Gemfile\.lock|Cargo\.lock|go\.sum|composer\.lock|"
    r"packages\.lock\.json|gradle\.lockfile"
)
_CODE = re.compile(r".*\.(py|pyx|ts|tsx|js|mjs|cjs|java|kt|go|rs|rb|php|cs|scala|ex|exs|sh)")
_PLAIN_VIEW = re.compile(r".*\.(md|markdown|rst|adoc|ipynb)", re.IGNORECASE)


@dataclass(frozen=True)
class Pages:
    """Addresses of files at the two commits.

    Attributes:
        site: The repository's page, "" where it is not known: then nothing is linked.
    """

    site: str
    head: str
    base: str

    def of(self, path: str, line: int | None = None, *, at_base: bool = False) -> str:
        """Return the page of a file's line, "" where there is none."""
        if not self.site.startswith("https://"):
            return ""
        # A rendered page has no lines to jump to.
        view = "?plain=1" if line and _PLAIN_VIEW.fullmatch(path) else ""
        place = f"#L{line}" if line else ""
        commit = self.base if at_base else self.head
        return f"{self.site}/blob/{commit}/{quote(path, errors='replace')}{view}{place}"


def changed_origin(
    report: Report, sources: Sources, pages: Pages, *, runs_code: bool
) -> ChangeOrigin:
    """Return what of the diff the system reads; what the systems say of themselves without any.

    Settings come first, then files that they name, documents (those of the questions that got
    worse before others), and locked dependencies; code where it is the system and nothing else
    was found.
    """
    parts = list(_parts(report, sources, pages))
    if not parts and runs_code:
        parts = [_file(path, sources, pages) for path in sources.changed if _CODE.fullmatch(path)]
    if not parts:
        return report.origin
    alone = report.origin.alone and len(parts) == 1
    shown = tuple(parts[:MOST_PARTS])
    return ChangeOrigin(parts=shown, more=len(parts) - len(shown), alone=alone)


def _parts(report: Report, sources: Sources, pages: Pages) -> Iterator[ChangedPart]:
    config = sources.config
    for line, words in changed_keys(sources):
        yield ChangedPart(words=words, path=config, line=line, url=pages.of(config, line))
    documents = _documents(report, sources)
    for path in (*sorted(sources.named), *documents):
        yield _file(path, sources, pages)
    taken = {config, *sources.named, *documents}
    for path in sources.changed:
        if path not in taken and _LOCKS.fullmatch(posixpath.basename(path)):
            yield _file(path, sources, pages)


def _documents(report: Report, sources: Sources) -> list[str]:
    causes = [row.cause for row in report.samples if row.got_worse and row.cause]
    ids = [id_ for each in causes for id_ in (*each.lost, *each.displaced_by, *each.edited)]
    guilty = list(document_paths(ids, sources))
    below = f"{sources.corpus}/"
    others = [path for path in sources.changed if sources.corpus and path.startswith(below)]
    return [path for path in dict.fromkeys([*guilty, *others]) if path not in sources.named]


def _file(path: str, sources: Sources, pages: Pages) -> ChangedPart:
    before, after = sources.texts(path)
    if not after:
        return ChangedPart(words="removed", path=path, url=pages.of(path, at_base=True))
    line = first_changed(sources, path) if before else None
    words = "" if before else "new"
    return ChangedPart(words=words, path=path, line=line, url=pages.of(path, line))


def sample_pages(report: Report, sources: Sources, path: str, pages: Pages) -> dict[str, str]:
    """Return the line of each listed sample in the base's golden set, by its id."""
    text, _ = sources.texts(path)
    wanted = [row.sample_id for row in report.samples[:MOST_SAMPLES]]
    lines = golden_lines(text, wanted) if text else {}
    return {key: pages.of(path, line, at_base=True) for key, line in lines.items()}


def golden_lines(text: str, ids: Iterable[str]) -> dict[str, int]:
    """Return the line on which each sample begins, as far as its id names one without doubt.

    A golden set of any format is read as text: the id stands beside a key ``id``, or first.
    """
    wanted = set(ids)
    lines: dict[str, list[int]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        for key in {match[1] or match[2] for match in _ID.finditer(line)} & wanted:
            lines.setdefault(key, []).append(number)
    return {key: found[0] for key, found in lines.items() if len(found) == 1}


# An id has up to 200 characters.
_ID = re.compile(
    r"""["']?\b_?id["']?\s*[:=]\s*["']?([^"',}\s]{1,200})|^["']?([^"',;\t{\[]{1,200})["']?[,;\t]"""
)


def document_pages(report: Report, sources: Sources, pages: Pages) -> dict[str, str]:
    """Return the page of each document of the worst samples, where it is a file of the corpus."""
    corpus = sources.corpus
    if not corpus:
        return {}
    rows = [row for row in report.samples if row.got_worse or row.change == "new"]
    found = {}
    ids = [id_ for row in rows for id_ in _ids(row) if _may_be_path(id_)]
    for doc_id in list(dict.fromkeys(ids))[:MOST_DOCUMENTS]:
        path = posixpath.normpath(f"{corpus}/{doc_id}")
        if not path.startswith(f"{corpus}/"):
            continue
        for tree, at_base in ((sources.head, False), (sources.base, True)):
            if _holds(tree, path):
                found[doc_id] = pages.of(path, at_base=at_base)
                break
    return found


def _may_be_path(doc_id: str) -> bool:
    """Whether it is looked for: a system names documents as it likes, and a folder is a call."""
    return (
        len(doc_id) <= _LONGEST_PATH and doc_id.count("/") < _MOST_FOLDERS and doc_id.isprintable()
    )


def _holds(tree: Tree, path: str) -> bool:
    folder, name = posixpath.split(path)
    try:
        return name in tree.list(folder)
    except RagateError:
        return False


def _ids(row: SampleRow) -> Iterator[str]:
    yield from (change.doc_id for change in row.ranks)
    if row.cause is not None:
        yield from row.cause.displaced_by
    if row.candidate is not None:
        yield from row.candidate.docs[:2]


# Documents that a change edits and no question expects, told in its comment.


def with_unasked(report: Report, sources: Sources, dataset: str) -> Report:
    """Return the report with the pages that neither side's golden set expects.

    A golden set of any format is read as text, so that a page counts as expected where its id
    stands anywhere in it but in a draft: a hint to a reviewer, with nothing said in doubt.

    Args:
        dataset: The golden set, from the repository's top.
    """
    asked = "\n".join(
        line
        for text in sources.texts(dataset)
        for line in text.split("\n")
        if not _DRAFT.search(line)
    )
    if not sources.corpus or not asked.strip():
        return report
    unasked = tuple(_unasked(sources, asked))
    return report.amended(data=report.data.amended(unasked_documents=unasked))


def _unasked(sources: Sources, asked: str) -> Iterator[str]:
    start = f"{sources.corpus}/"
    if f"{start}corpus.jsonl" in sources.changed:
        return  # each of its rows is a document
    pages = [path.removeprefix(start) for path in sources.changed if path.startswith(start)]
    ids = [page for page in pages if PurePosixPath(page).suffix.lower() in SUFFIXES]
    for doc_id in [each for each in ids if not _is_named(each, asked)][:MOST]:
        if _is_there(sources, start + doc_id):
            yield doc_id


def _is_named(doc_id: str, text: str) -> bool:
    """Return whether an id stands in a text as a whole, written plainly or as JSON escapes it."""
    return any(
        name in text and re.search(rf"(?<![\w.-]){re.escape(name)}(?![\w-])", text)
        for name in {doc_id, json.dumps(doc_id)[1:-1]}
    )


def _is_there(sources: Sources, path: str) -> bool:
    try:
        return sources.head.read(path) is not None
    except RagateError:
        return False
