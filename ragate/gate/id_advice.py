"""Ids of a project's golden set that do not fit its system, with the remedy for this project."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ragate import plugins
from ragate.core.doc_ids import IdMismatch, run_mismatch
from ragate.files.find_files import folders_in
from ragate.models import Reads, Run, Sample, SystemInfo

if TYPE_CHECKING:
    from ragate.config import SystemConfig

MOST_FOLDERS = 2000
DEPTH = 5


class IdAdvice(NamedTuple):
    """What does not fit and what to do about it, one line each."""

    mismatch: IdMismatch
    message: str
    remedy: str


def id_advice(
    root: Path, system: SystemConfig | SystemInfo, samples: Sequence[Sample], run: Run
) -> IdAdvice | None:
    """Return what keeps the ids of a run from fitting, None where nothing speaks of it.

    Nothing is said where no metric of the run looks at them.
    """
    if all(info.reads is not Reads.RETRIEVAL for info in run.manifest.metrics.values()):
        return None
    mismatch = run_mismatch(samples, run.records)
    return None if mismatch is None else advice_on(root, system, mismatch)


def advice_on(root: Path, system: SystemConfig | SystemInfo, mismatch: IdMismatch) -> IdAdvice:
    """Return the mismatch in words, with the remedy for this system."""
    from ragate.core.doc_ids import mismatch_remedy, mismatch_words

    folder = documents_folder(root, mismatch.expected)
    traits, named = plugins.traits(system.use), system.settings
    already = bool(folder) and str(named.get("doc_id_relative_to", "")).strip("./") == folder
    remedy = mismatch_remedy(mismatch, traits, folder=folder, already=already)
    return IdAdvice(mismatch, mismatch_words(mismatch), remedy)


def documents_folder(root: Path, doc_id: str) -> str:
    """Return the folder below `root` that holds a document of this path, "" where none does.

    The shallowest counts; the search is bounded and follows no link.
    """
    if not doc_id or Path(doc_id).is_absolute() or ".." in Path(doc_id).parts:
        return ""
    waiting, seen = [root], 0
    while waiting and seen < MOST_FOLDERS:
        folder = waiting.pop(0)
        seen += 1
        if folder != root and (folder / doc_id).is_file():
            return folder.relative_to(root).as_posix()
        if len(folder.relative_to(root).parts) < DEPTH:
            waiting += folders_in(folder)
    return ""
