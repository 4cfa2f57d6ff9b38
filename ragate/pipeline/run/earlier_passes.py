"""The passes of earlier runs of the same commit: found, taken over, and named by their runs."""

from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path

from ragate.baseline import baseline_digest
from ragate.config import Config
from ragate.core.hashing import content_hash, digest
from ragate.errors import StorageError
from ragate.models import EarlierRun, Reads, Sample, SystemInfo, Verdict
from ragate.pipeline.run.collect_pass import Outputs
from ragate.pipeline.run.collected_outputs import read_collected
from ragate.pipeline.run.selection import Selection
from ragate.pipeline.run.system_session import Session
from ragate.protocols import IdentifiedSystem
from ragate.stores.local import LocalStore
from ragate.support.git import head_commit, is_clean

MOST_PASSES = 20


def evidence_key(
    config: Config,
    samples: Sequence[Sample],
    system: SystemInfo,
    selection: Selection,
    *,
    own_files: Sequence[Path] = (),
) -> str:
    """Return what names the state that is judged: commit, rules, questions, baseline, system.

    "" where that cannot be told: no commit, or files that differ from it.

    Args:
        own_files: What ragate itself writes: it changes nothing that is judged.
    """
    commit = head_commit(config.root)
    if not commit or not is_clean(config.root, but=own_files):
        return ""
    return digest(
        [
            commit,
            config.path.read_text(encoding="utf-8") if config.path.is_file() else "",
            [content_hash(sample) for sample in samples],
            baseline_digest(config.baseline) or digest(""),
            [system.use, system.fingerprint],
            selection.filters.model_dump(mode="json"),
            [selection.top_k, selection.retrieval_only, selection.eval_date],
        ]
    )


def adopt_earlier(session: Session, samples: Sequence[Sample]) -> int:
    """Take over the passes that an earlier run of this very state made; return their number.

    They stand before the run's own passes, and the manifest says whose they are. Systems that
    repeat exactly, or that hold recordings, would only give the same passes again.
    """
    if session.system.max_runs is not None:
        return 0
    if {Reads.RETRIEVAL, Reads.ANSWER} <= session.system.info.deterministic:
        return 0
    manifest = session.collected.manifest
    same_state = isinstance(session.system, IdentifiedSystem) and session.system.identifies_state
    try:
        passes = _earlier(session, manifest.evidence, samples)
    except StorageError as error:
        session.operations.say(f"earlier passes of this commit cannot be read: {error.message}")
        return 0
    passes = passes[:MOST_PASSES] if same_state else passes[-MOST_PASSES:]
    for _, outputs in passes:
        session.adopt(samples, outputs)
    session.collected.manifest = manifest.amended(
        earlier=_runs(run for run, _ in passes), same_state=same_state and bool(passes)
    )
    if passes:
        use = "counted too" if same_state else "shown beside this run, which they may confirm"
        session.operations.say(f"earlier passes of this commit: {len(passes)}, {use}")
    return len(passes)


def _earlier(
    session: Session, key: str, samples: Sequence[Sample]
) -> list[tuple[EarlierRun, Outputs]]:
    """Return the whole passes of earlier runs with the run that each is of, oldest first."""
    store = LocalStore(session.operations.state)
    newest = store.newest_of(key) if key else None
    path = newest / "outputs.jsonl" if newest is not None else None
    if newest is None or path is None or not path.is_file():
        return []
    passes = read_collected([path], samples).passes
    taken_over = _runs_in(store, newest)
    owners = [run for run in taken_over for _ in range(run.passes)]
    owners += [_of_itself(store, newest)] * max(0, len(passes) - len(owners))
    return [
        (run, outputs)
        for run, outputs in zip(owners, passes, strict=False)
        if len(outputs) == len(samples) and _is_measured(outputs)
    ]


def _runs_in(store: LocalStore, folder: Path) -> tuple[EarlierRun, ...]:
    """Return the runs whose passes a stored run took over."""
    return store.load_manifest(folder).earlier


def _of_itself(store: LocalStore, folder: Path) -> EarlierRun:
    """Return what a stored run says of the passes that it made itself."""
    try:
        failed = store.load_report(folder).decision.verdict is Verdict.FAILED
    except StorageError:
        failed = False  # it was never finished, or another ragate wrote it
    return EarlierRun(created=store.load_manifest(folder).created, passes=1, failed=failed)


def _runs(owners: Iterable[EarlierRun]) -> tuple[EarlierRun, ...]:
    """Return each run once, with the number of its passes."""
    return tuple(
        run.amended(passes=len(list(passes)))
        for run, passes in groupby(owners, key=lambda run: run.amended(passes=1))
    )


def _is_measured(outputs: Outputs) -> bool:
    """Return False where a provider failed: what was not measured is measured again."""
    return not any(output.error and output.error.kind == "provider" for output in outputs.values())
