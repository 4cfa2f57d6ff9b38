"""The documents of a project, under the names that a reply may call them by."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from ragate.cli.init.survey import Survey
from ragate.dataset import read_dataset
from ragate.errors import RagateError
from ragate.models import Sample
from ragate.systems.pgvector.corpus import Document, read_corpus

# How a page is called, by the page's path below the folder of documents.
_SPELLINGS: dict[str, Callable[[str, PurePosixPath], str]] = {
    "path": lambda _folder, path: str(path),
    "path below the root": lambda folder, path: f"{folder}/{path}",
    "file name": lambda _folder, path: path.name,
    "path without its ending": lambda _folder, path: str(path.with_suffix("")),
    "file name without its ending": lambda _folder, path: path.stem,
}


@dataclass(frozen=True)
class IdSpelling:
    """How a reply calls documents.

    Attributes:
        share: Of its ids, how many are documents.
        how: For people; "" where they are unknown.
        documents: Those of the project, under the names of the reply.
        relative_to: The folder of documents, where ids are paths of this machine through it.
    """

    share: float
    how: str = ""
    documents: tuple[Document, ...] = ()
    relative_to: str = ""


@dataclass(frozen=True)
class KnownDocuments:
    """What a project has of documents and of questions about them.

    Attributes:
        folder: The likeliest folder of pages, below the root; "" for none.
        samples: Of a golden set that is there.
    """

    folder: str = ""
    documents: tuple[Document, ...] = ()
    samples: tuple[Sample, ...] = ()

    def share(self, ids: Sequence[str]) -> float:
        """Return how many of some ids are documents."""
        return self.spelling(ids).share

    def spelling(self, ids: Sequence[str]) -> IdSpelling:
        """Return how documents are called by some ids, as well as is known."""
        expected = {doc_id for sample in self.samples for doc_id in sample.expected}
        found = [IdSpelling(_share(ids, expected), "in the golden set")]
        paths = [PurePosixPath(document.doc_id) for document in self.documents]
        for how, name_of in _SPELLINGS.items():
            names = [name_of(self.folder, path) for path in paths]
            shown = f"{self.folder}/, by {how}"
            found.append(IdSpelling(_share(ids, set(names)), shown, self._named(names)))
        below = [one.replace("\\", "/").rpartition(f"/{self.folder}/")[2] for one in ids]
        if self.folder and below != list(ids):
            share = _share(below, set(map(str, paths)))
            shown = f"{self.folder}/, by path"
            found.append(IdSpelling(share, shown, self.documents, relative_to=self.folder))
        return max(found, key=lambda one: one.share)

    def _named(self, names: Sequence[str]) -> tuple[Document, ...]:
        pairs, times = zip(self.documents, names, strict=True), Counter(names)
        return tuple(replace(page, doc_id=name) for page, name in pairs if times[name] == 1)


def _share(ids: Sequence[str], known: set[str]) -> float:
    return sum(one in known for one in ids) / max(1, len(ids))


def known_documents(survey: Survey) -> KnownDocuments:
    """Return the pages of the likeliest folder, and the golden set that is there."""
    samples = tuple(read_dataset(survey.root / survey.golden[0])) if survey.golden else ()
    folder = next(iter(survey.docs), "")
    try:
        documents = read_corpus(survey.root, folder).documents if folder else ()
    except RagateError:
        return KnownDocuments(samples=samples)
    return KnownDocuments(folder, documents, samples)
