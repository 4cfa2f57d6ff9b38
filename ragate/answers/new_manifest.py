"""The manifest of a run as it begins: what is run, on which commit, and what is known of it."""

import datetime
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ragate.answers.relative_dates import noted_date
from ragate.answers.run_profile import Selection
from ragate.config import Config
from ragate.config.set_keys import without_secrets
from ragate.core.text.wording import listed
from ragate.models import RunManifest, Sample
from ragate.protocols import System, system_abilities
from ragate.repository.git import files, head_commit, is_clean, last_commit_with, repository
from ragate.resources.operations import Operations
from ragate.resources.run_labels import branch_of, noted
from ragate.version import __version__

MOST = 50  # ids that git is asked about, each by a look through the history
_SHARE = 0.5  # of the expected ids that must be files: else ids are no paths


@dataclass(frozen=True)
class WorkTree:
    """What is checked out: looked at before the system starts, which may be code.

    Attributes:
        head: The commit, "" without git.
        clean: All files are as in it, those of ragate aside.
    """

    head: str
    clean: bool

    @classmethod
    def of(cls, config: Config, operations: Operations) -> "WorkTree":
        """Look at the project's work tree."""
        ours = (operations.state, *operations.own_files)
        return cls(head_commit(config.root), is_clean(config.root, but=ours))


async def new_manifest(
    config: Config,
    operations: Operations,
    system: System,
    samples: Sequence[Sample],
    selection: Selection,
    run_id: str,
    tree: WorkTree,
) -> RunManifest:
    """Return the manifest of a run as it begins; documents that are gone are told."""
    manifest = await _manifest(config, operations, system, samples, selection, run_id, tree)
    if not manifest.missing_documents and (gone := gone_documents(samples, config.root)):
        operations.say(f"warning: {gone.message}; {gone.remedy}")
    return labelled(manifest, operations, config.root)


async def _manifest(
    config: Config,
    operations: Operations,
    system: System,
    samples: Sequence[Sample],
    selection: Selection,
    run_id: str,
    tree: WorkTree,
) -> RunManifest:
    documents = await system.documents()
    reads_date = system_abilities(system).reads_date
    reads_date = reads_date or any(table.get("dates") for table in config.metric_settings.values())
    info, told = system.info, selection.filters.settings
    if told:
        info = info.amended(settings=without_secrets(info.settings, told))
    return RunManifest(
        run_id=run_id,
        gate=config.gate,
        created=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        commit=operations.commit or tree.head,
        clean=tree.clean,
        ragate_version=__version__,
        dataset=config.policy.dataset,
        system=info,
        recorded=system.max_runs or 0,
        filters=selection.filters,
        retrieval_only=selection.retrieval_only,
        missing_documents={} if documents is None else missing_documents(samples, documents),
        eval_date=noted_date(selection.eval_date, samples, read=reads_date),
    )


def missing_documents(
    samples: Sequence[Sample], documents: frozenset[str]
) -> dict[str, tuple[str, ...]]:
    """Return, by sample, the expected documents that the corpus does not hold."""
    return {
        sample.id: tuple(sorted(sample.expected - documents))
        for sample in samples
        if sample.expected - documents
    }


def labelled(manifest: RunManifest, operations: Operations, root: Path) -> RunManifest:
    """Return the manifest with the branch that is checked out, and what a person noted."""
    return noted(manifest, operations.labels, branch=branch_of(operations.environment, root))


# Expected documents that left the repository: known by git, where the system itself tells none.


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
    if top is None:
        return None
    expected = {doc_id for sample in samples for doc_id in sample.expected}
    if not expected:
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
