"""New ids in the place of those of documents that are gone: chosen, and written."""

from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from ragate.baseline import load_baseline
from ragate.config import Config
from ragate.core.doc_ids.advice import is_of_a_machine
from ragate.core.doc_ids.mismatch import IdMismatch, find_mismatch
from ragate.core.doc_ids.run_ids import run_mismatch
from ragate.core.doc_ids.spelling import Spelling
from ragate.dataset import Entry
from ragate.dataset.edit import open_golden
from ragate.errors import RagateError, StorageError, UsageError
from ragate.models import Run
from ragate.pipeline.golden.lost_documents import Lost
from ragate.pipeline.golden.suggest import as_labels
from ragate.pipeline.run.corpus_texts import Texts
from ragate.stores.local import LocalStore
from ragate.support.settings import nearest


def choose(
    lost: Sequence[Lost], accepted: Sequence[str], texts: Texts
) -> dict[tuple[str, str], str]:
    """Return the new document by (sample, old document) for ``ID`` or ``ID=DOC``.

    ID is a sample or an old document: all labels of it are meant. Without DOC its best proposal is
    taken, and one by name alone is none.

    Raises:
        UsageError: nothing of ID is lost, the corpus has no DOC, or there is no proposal.
    """
    chosen: dict[tuple[str, str], str] = {}
    names = {name for row in lost for name in (row.sample_id, row.doc_id)}
    for text in accepted:
        cuts = [n for n, char in enumerate(text) if char == "="]
        pairs = [(text, "")] if text in names else []
        pairs += [(text[:n], text[n + 1 :]) for n in cuts if text[:n] in names]
        if len(pairs) != 1:
            name = text.partition("=")[0]
            raise UsageError(
                f"--accept {text!r}: no lost document and no sample with one{nearest(name, names)}"
            )
        name, doc_id = pairs[0]
        if doc_id and doc_id not in texts:
            raise UsageError(f"--accept {text!r}: the corpus holds no document {doc_id!r}")
        for row in lost:
            if name in (row.sample_id, row.doc_id):
                chosen[row.sample_id, row.doc_id] = doc_id or _best(row)
    return chosen


def _best(lost: Lost) -> str:
    proved = [c for c in lost.candidates if c.source != "name"]
    if not proved:
        raise UsageError(
            f"{lost.sample_id}: there is no proposal by content for {lost.doc_id!r}",
            remedy=f"name the document: --accept {lost.doc_id}=DOC",
        )
    return proved[0].doc_id


def choose_all(lost: Sequence[Lost], least: float) -> dict[tuple[str, str], str]:
    """Return the best proposals by content whose similarity is at least `least`.

    One that two documents reach equally is left to a person.
    """
    chosen = {}
    for row in lost:
        proved = [c for c in row.candidates if c.source != "name" and c.similarity >= least - 1e-9]
        tied = len(proved) > 1 and proved[0].similarity == proved[1].similarity
        if proved and not tied:
            chosen[row.sample_id, row.doc_id] = proved[0].doc_id
    return chosen


def relink(path: Path, entries: Sequence[Entry], chosen: Mapping[tuple[str, str], str]) -> int:
    """Put new document ids in the place of old ones; return how many labels changed.

    The grade goes along; where the new document has one already, the higher one stays. So does the
    evidence.
    """
    golden = open_golden(path)
    by_id = {entry.sample.id: entry for entry in entries}
    for sample_id in dict.fromkeys(sample for sample, _ in chosen):
        entry = by_id[sample_id]
        sample = entry.sample
        names = {old: new for (owner, old), new in chosen.items() if owner == sample_id}
        relevant: dict[str, int] = {}
        for doc_id, grade in sample.relevant.items():
            name = names.get(doc_id, doc_id)
            relevant[name] = max(grade, relevant.get(name, grade))
        golden.update(entry, "relevant", as_labels(relevant))
        if names.keys() & sample.evidence.keys():
            evidence = {
                names.get(doc_id, doc_id): passage.model_dump(exclude_defaults=True)
                for doc_id, passage in sample.evidence.items()
            }
            golden.update(entry, "evidence", evidence)
    golden.save()
    return len(chosen)


# Expected ids in the spelling of the system: for labels that are right and written otherwise.


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

    Ids of chunks are left alone: which of them a document comes back as is luck. So are
    paths of one machine: on another nothing would fit.
    """
    if mismatch is None or Spelling.CHUNK in mismatch.differs:
        return {}
    return {
        (entry.sample.id, doc_id): mismatch.respelt[doc_id]
        for entry in entries
        for doc_id in entry.sample.relevant
        if doc_id in mismatch.respelt and not is_of_a_machine(mismatch.respelt[doc_id])
    }


def _baseline(config: Config | None) -> Run | None:
    try:
        return None if config is None else load_baseline(config.baseline)
    except RagateError:
        return None
