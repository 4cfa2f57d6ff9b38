"""The passes of earlier runs of the same commit: found, taken over, and named by their runs."""

from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path

from ragate.answers.collected_outputs import read_collected
from ragate.answers.output_spool import Outputs
from ragate.answers.run_profile import Selection
from ragate.answers.system_session import Session
from ragate.baseline import baseline_digest
from ragate.config import Config
from ragate.core.comparison.run_passes import is_measured
from ragate.core.hashing import content_hash, digest
from ragate.errors import ConfigError, StorageError
from ragate.files.foreign_files import read_text
from ragate.models import EarlierRun, Reads, Sample, SystemInfo, Verdict
from ragate.protocols import system_abilities
from ragate.stores import OUTPUTS
from ragate.stores.local import LocalStore

MOST_PASSES = 20


def evidence_key(
    config: Config,
    samples: Sequence[Sample],
    system: SystemInfo,
    selection: Selection,
    *,
    commit: str,
    clean: bool,
) -> str:
    """Return what names the state that is judged: commit, rules, questions, baseline, system.

    "" where that cannot be told: no commit, or files that differ from it.

    Args:
        commit: What is checked out.
        clean: All files are as in the commit, those of ragate aside.
    """
    if not commit or not clean:
        return ""
    return digest(
        [
            commit,
            read_text(config.path, error=ConfigError) if config.path.is_file() else "",
            [content_hash(sample) for sample in samples],
            baseline_digest(config.baseline) or digest(""),
            [system.use, system.fingerprint],
            selection.filters.model_dump(mode="json"),
            [selection.retrieval_only, selection.eval_date],
        ]
    )


def adopt_earlier(
    session: Session, samples: Sequence[Sample], config: Config, selection: Selection
) -> None:
    """Name the state that is judged, and take over the passes that an earlier run of it made.

    They stand before the run's own passes, and the manifest says whose they are. Systems that
    repeat exactly, or that hold recordings, would only give the same passes again.
    """
    manifest = session.collected.manifest
    info, commit = session.system.info, session.ready.head
    known = manifest.clean and not session.operations.live  # what a test patched is no state
    key = evidence_key(config, samples, info, selection, commit=commit, clean=known)
    session.collected.manifest = manifest = manifest.amended(evidence=key)
    if session.system.max_runs is not None:
        return
    if {Reads.RETRIEVAL, Reads.ANSWER} <= info.deterministic:
        return
    same_state = system_abilities(session.system).identifies_state
    try:
        passes = _earlier(session, manifest.evidence, samples)
    except StorageError as error:
        session.operations.say(f"earlier passes of this commit cannot be read: {error.message}")
        return
    passes = passes[:MOST_PASSES] if same_state else passes[-MOST_PASSES:]
    for _, outputs in passes:
        session.adopt(samples, outputs)
    session.collected.manifest = manifest.amended(
        earlier=_runs(run for run, _ in passes), same_state=same_state and bool(passes)
    )
    if passes:
        use = "counted too" if same_state else "shown beside this run, which they may confirm"
        session.operations.say(f"earlier passes of this commit: {len(passes)}, {use}")


def _earlier(
    session: Session, key: str, samples: Sequence[Sample]
) -> list[tuple[EarlierRun, Outputs]]:
    """Return the whole passes of earlier runs with the run that each is of, oldest first.

    A pass in which a provider failed is measured again.
    """
    store = LocalStore(session.operations.state)
    newest = store.newest_of(key) if key else None
    if newest is None or not (newest / OUTPUTS).is_file():
        return []
    passes = read_collected([newest / OUTPUTS], samples).passes
    taken_over = store.load_manifest(newest).earlier
    owners = [run for run in taken_over for _ in range(run.passes)]
    owners += [_of_itself(store, newest)] * max(0, len(passes) - len(owners))
    return [
        (run, outputs)
        for run, outputs in zip(owners, passes, strict=False)
        if len(outputs) == len(samples) and all(map(is_measured, outputs.values()))
    ]


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
