"""Running a commit again adds to its evidence; it does not draw anew until the gate is green."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from ragate.baseline import baseline_bytes
from ragate.config import Config
from ragate.core.hashing import content_hash, digest
from ragate.models import Reads, Sample, SystemInfo
from ragate.pipeline.collect import Outputs
from ragate.pipeline.collected import read_collected
from ragate.pipeline.session import Selection, Session
from ragate.stores.local import LocalStore
from ragate.vcs import head_commit, is_clean

MOST_PASSES = 20


def evidence_key(
    config: Config,
    samples: Sequence[Sample],
    system: SystemInfo,
    selection: Selection,
    *,
    own: Sequence[Path] = (),
) -> str:
    """Return what names the state that is judged: commit, rules, questions, baseline, system.

    "" where that cannot be told: no commit, or files that differ from it.

    Args:
        own: What ragate itself writes: it changes nothing that is judged.
    """
    commit = head_commit(config.root)
    if not commit or not is_clean(config.root, but=own):
        return ""
    baseline = baseline_bytes(config.baseline) or b""
    return digest(
        [
            commit,
            config.path.read_text(encoding="utf-8") if config.path.is_file() else "",
            [content_hash(sample) for sample in samples],
            digest(baseline.decode("utf-8", "replace")),
            [system.use, system.fingerprint],
            selection.filters.model_dump(mode="json"),
            [selection.top_k, selection.retrieval_only, selection.eval_date],
        ]
    )


def adopt_earlier(session: Session, samples: Sequence[Sample]) -> int:
    """Take over the passes that an earlier run of this very state made; return their number.

    Systems that repeat exactly, or that hold recordings, would only give the same passes again.
    """
    if session.system.max_runs is not None:
        return 0
    if {Reads.RETRIEVAL, Reads.ANSWER} <= session.system.info.deterministic:
        return 0
    manifest = session.collected.manifest
    for outputs in _earlier(session, manifest.evidence, samples):
        session.adopt(samples, outputs)
    count = len(session.collected.passes)
    if count:
        session.operations.say(f"{count} earlier passes of this commit count too")
    return count


def _earlier(session: Session, key: str, samples: Sequence[Sample]) -> list[Outputs]:
    store = LocalStore(session.operations.state)
    newest = store.newest_of(key) if key else None
    path = newest / "outputs.jsonl" if newest is not None else None
    if path is None or not path.is_file():
        return []
    passes = read_collected([path], samples).passes
    whole = [outputs for outputs in passes if len(outputs) == len(samples)]
    return [outputs for outputs in whole if _is_measured(outputs)][:MOST_PASSES]


def _is_measured(outputs: Outputs) -> bool:
    """Return False where a provider failed: what was not measured is measured again."""
    return not any(output.error and output.error.kind == "provider" for output in outputs.values())
