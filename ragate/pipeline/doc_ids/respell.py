"""Expected ids in the spelling of the system: for labels that are right and written otherwise."""

from collections.abc import Collection, Mapping, Sequence

from ragate.baseline import load_baseline
from ragate.config import Config
from ragate.core.doc_ids.mismatch import IdMismatch, find_mismatch
from ragate.core.doc_ids.run_ids import run_mismatch
from ragate.core.doc_ids.spelling import Spelling
from ragate.dataset import Entry
from ragate.errors import RagateError, StorageError, UsageError
from ragate.models import Run
from ragate.stores.local import LocalStore


def newest_run(baseline: Run | None, store: LocalStore, gate: str = "") -> Run | None:
    """Return the newest whole run that is stored here, or the baseline where that is newer.

    Where there is neither: the newest of the gate that other machines made.
    """
    try:
        folder = store.find("latest") if store.list() else None
        if folder is None and baseline is None:
            folder = store.newest_elsewhere(gate)
        if folder is None:
            return baseline
        run = store.load(folder)
    except (UsageError, StorageError):
        return baseline
    older = baseline is not None and run.manifest.created < baseline.manifest.created
    return baseline if older or run.manifest.filters.partial else run


def mismatch_of(
    entries: Sequence[Entry],
    documents: Collection[str] | None,
    config: Config | None,
    store: LocalStore,
) -> IdMismatch | None:
    """Return how the labels' ids differ from the documents, or else from what a run retrieved.

    Args:
        documents: The ids of all documents, None where the system does not tell them.

    Raises:
        UsageError: neither is known.
        DatabaseError: the run store would have to be asked, and cannot be read.
    """
    samples = [entry.sample for entry in entries]
    if documents is not None:
        labelled = frozenset(doc_id for sample in samples for doc_id in sample.expected)
        return find_mismatch([(labelled, documents)])
    run = newest_run(_baseline(config), store, "" if config is None else config.gate)
    if run is None:
        raise UsageError(
            "it is not known how the system names its documents: nothing was retrieved yet",
            remedy="`ragate baseline update` asks it, or name the folder of the documents with "
            "--corpus",
        )
    return run_mismatch(samples, run.records)


def respellings(
    entries: Sequence[Entry], mismatch: IdMismatch | None
) -> Mapping[tuple[str, str], str]:
    """Return the new id by sample and old id.

    Ids of chunks are left alone: which of them a document comes back as is luck.
    """
    if mismatch is None or Spelling.CHUNK in mismatch.differs:
        return {}
    return {
        (entry.sample.id, doc_id): mismatch.respelt[doc_id]
        for entry in entries
        for doc_id in entry.sample.relevant
        if doc_id in mismatch.respelt
    }


def _baseline(config: Config | None) -> Run | None:
    try:
        return None if config is None else load_baseline(config.baseline)
    except RagateError:
        return None
