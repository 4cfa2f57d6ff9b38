"""Expected documents that left the repository: known by git, where the system itself tells none."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ragate.core.text.listed_names import listed
from ragate.models import Sample
from ragate.support.git import files, last_commit_with, repository

MOST = 50  # ids that git is asked about, each by a look through the history
_SHARE = 0.5  # of the expected ids that must be files: else ids are no paths


@dataclass(frozen=True)
class GoneDocuments:
    """Expected documents that were files of the repository, and are no longer.

    Attributes:
        corpus: The folder that ids start from, relative to the project; "." for all of it.
        doc_ids: Sorted.
    """

    corpus: str
    doc_ids: tuple[str, ...]

    @property
    def message(self) -> str:
        count = len(self.doc_ids)
        are = "document is" if count == 1 else "documents are"
        place = "the repository" if self.corpus == "." else f"{self.corpus}/"
        return f"{count} expected {are} gone from {place}: {listed(self.doc_ids)}"

    @property
    def remedy(self) -> str:
        return f"`ragate dataset relink --corpus {self.corpus}` proposes where they went"


def gone_documents(samples: Sequence[Sample], root: Path) -> GoneDocuments | None:
    """Return what git knows of expected documents that are not there; None where nothing is gone.

    The folder of the documents is the one below which most expected ids are files. An id that was
    never a file there is no loss: it may come from somewhere else.
    """
    top = repository(root)
    expected = {doc_id for sample in samples for doc_id in sample.expected}
    if top is None or not expected:
        return None
    present = frozenset(files(top))
    folder = corpus_folder(expected, present)
    if folder is None:
        return None
    absent = sorted(doc_id for doc_id in expected if _joined(folder, doc_id) not in present)
    gone = [id_ for id_ in absent[:MOST] if last_commit_with(top, _joined(folder, id_))]
    real = root.resolve()
    place = top / folder
    if not gone or not place.is_relative_to(real):
        return None
    return GoneDocuments(place.relative_to(real).as_posix(), tuple(gone))


def corpus_folder(expected: Collection[str], present: Iterable[str]) -> str | None:
    """Return the folder below which at least half of the expected ids are files, else None."""
    by_name: dict[str, list[str]] = {}
    for doc_id in expected:
        by_name.setdefault(PurePosixPath(doc_id).name, []).append(doc_id)
    folders: Counter[str] = Counter()
    for path in present:
        for doc_id in by_name.get(path.rpartition("/")[2], ()):
            if f"/{path}".endswith(f"/{doc_id}"):
                folders[path[: len(path) - len(doc_id)].rstrip("/") or "."] += 1
    if not folders:
        return None
    folder, count = min(folders.items(), key=lambda item: (-item[1], item[0]))
    return folder if count >= _SHARE * len(expected) else None


def _joined(folder: str, doc_id: str) -> str:
    return doc_id if folder == "." else f"{folder}/{doc_id}"
