"""The manifest of a run as it begins: what is run, on which commit, and what is known of it."""

import datetime
from collections.abc import Sequence
from pathlib import Path

from ragate.config import Config
from ragate.models import RunManifest, Sample
from ragate.pipeline.run.corpus_texts import corpus_texts, stale_evidence
from ragate.pipeline.run.gone_documents import gone_documents
from ragate.pipeline.run.relative_dates import noted_date
from ragate.pipeline.run.selection import Selection
from ragate.protocols import DateReader, System
from ragate.runtime.operations import Operations
from ragate.runtime.run_labels import branch_of, noted
from ragate.support.git import head_commit
from ragate.version import __version__


async def new_manifest(
    config: Config,
    operations: Operations,
    system: System,
    samples: Sequence[Sample],
    selection: Selection,
    run_id: str,
) -> RunManifest:
    """Return the manifest of a run as it begins; documents that are gone are told."""
    manifest = await _manifest(config, operations, system, samples, selection, run_id)
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
) -> RunManifest:
    documents = await system.documents()
    reads_date = isinstance(system, DateReader) and system.reads_date
    reads_date = reads_date or any(table.get("dates") for table in config.metric_settings.values())
    return RunManifest(
        run_id=run_id,
        gate=config.gate,
        created=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        commit=operations.commit or head_commit(config.root),
        ragate_version=__version__,
        dataset=config.policy.dataset,
        system=system.info,
        filters=selection.filters,
        retrieval_only=selection.retrieval_only,
        missing_documents={} if documents is None else missing_documents(samples, documents),
        stale_evidence=_stale_evidence(config, samples),
        eval_date=noted_date(selection.eval_date, samples, read=reads_date),
    )


def _stale_evidence(config: Config, samples: Sequence[Sample]) -> dict[str, tuple[str, ...]]:
    """Return, by sample, the documents that no longer hold their passage, where that is known."""
    if not any(sample.evidence for sample in samples):
        return {}
    texts = corpus_texts(config, None)
    return {} if texts is None else stale_evidence(samples, texts)


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
