"""Documents that a change edits and no question expects, told in its comment."""

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath

from ragate.errors import RagateError
from ragate.github.publish.changed_sources import Sources
from ragate.models import Report
from ragate.systems.pgvector.corpus.files import SUFFIXES

MOST = 30  # each costs a look into the repository
_DRAFT = re.compile(r'"draft"\s*:\s*true')


def with_unasked(report: Report, changed: Sequence[str], sources: Sources, dataset: str) -> Report:
    """Return the report with the pages that neither side's golden set expects.

    A golden set of any format is read as text, so that a page counts as expected where its id
    stands anywhere in it but in a draft: a hint to a reviewer, with nothing said in doubt.

    Args:
        changed: Paths from the repository's top.
        dataset: The golden set there.
    """
    asked = "\n".join(
        line
        for text in sources.texts(dataset)
        for line in text.split("\n")
        if not _DRAFT.search(line)
    )
    if not sources.corpus or not asked.strip():
        return report
    unasked = tuple(_unasked(changed, sources, asked))
    return report.amended(data=report.data.amended(unasked_documents=unasked))


def _unasked(changed: Sequence[str], sources: Sources, asked: str) -> Iterator[str]:
    start = f"{sources.corpus}/"
    if f"{start}corpus.jsonl" in changed:
        return  # each of its rows is a document
    pages = [path.removeprefix(start) for path in changed if path.startswith(start)]
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
        return sources.head(path) is not None
    except RagateError:
        return False
