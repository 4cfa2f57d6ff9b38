"""Expected documents proposed by a retrieval; a person decides which of them are labels."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ragate import plugins
from ragate.config import Config
from ragate.errors import ConfigError
from ragate.models import Sample, SystemOutput
from ragate.pipeline.run.collect_pass import run_pass
from ragate.protocols import Resources
from ragate.runtime.operations import Operations
from ragate.runtime.resources import open_resources

CONFIGURED, BM25 = "configured", "bm25"


@dataclass(frozen=True)
class ProposedDocument:
    """One document that was retrieved, with its best passage."""

    doc_id: str
    rank: int
    score: float | None
    text: str


@dataclass(frozen=True)
class Suggestion:
    """What was retrieved for one question.

    Attributes:
        labelled: Documents that have a grade already.
        error: Why nothing was retrieved, "" otherwise.
    """

    sample_id: str
    query: str
    proposals: tuple[ProposedDocument, ...]
    labelled: tuple[str, ...] = ()
    error: str = ""


async def suggest(
    config: Config,
    operations: Operations,
    samples: Sequence[Sample],
    *,
    top: int,
    system: str = CONFIGURED,
    corpus: Path | None = None,
) -> list[Suggestion]:
    """Run the retrieval for each question; nothing is written.

    Args:
        top: Most documents proposed for a question.
        system: The configured system, or ``bm25`` over a corpus.
        corpus: For bm25, the folder; None for the configured pgvector system's.
    """
    depth = 3 * top  # several chunks may be of one document
    async with open_resources(config, operations, top_k=depth, retrieval_only=True) as opened:
        use, settings, resources = _system(config, opened.system, system, corpus)
        async with plugins.system(use, settings, resources) as retrieval:
            await retrieval.prepare()
            outputs = await run_pass(
                retrieval,
                samples,
                run=0,
                concurrency=resources.concurrency,
                timeout_s=resources.timeout_s,
            )
    return [_suggestion(sample, outputs[sample.id], top) for sample in samples]


def _system(
    config: Config, resources: Resources, system: str, corpus: Path | None
) -> tuple[str, Mapping[str, Any], Resources]:
    configured = config.system
    if system == CONFIGURED:
        return configured.use, configured.settings, resources
    settings: dict[str, Any] = {}
    if configured.use == "pgvector":
        dropped = {"embedder", "answer", "retrieval", "index", "rerank"}
        settings = {key: value for key, value in configured.settings.items() if key not in dropped}
    if corpus is not None:
        folder = corpus.resolve()
        settings["corpus"] = folder.name
        resources = replace(resources, root=folder.parent)
    if "corpus" not in settings:
        raise ConfigError(
            "bm25 needs documents, and the configured system names none",
            remedy="name their folder with --corpus",
        )
    return "pgvector", {**settings, "retrieval": "bm25"}, resources


def _suggestion(sample: Sample, output: SystemOutput, top: int) -> Suggestion:
    best: dict[str, ProposedDocument] = {}
    for chunk in output.chunks:
        if chunk.doc_id not in best and len(best) < top:
            best[chunk.doc_id] = ProposedDocument(
                chunk.doc_id, len(best) + 1, chunk.score, chunk.text
            )
    return Suggestion(
        sample_id=sample.id,
        query=sample.query,
        proposals=tuple(best.values()),
        labelled=tuple(sample.relevant),
        error=output.error.message if output.error else "",
    )


def as_labels(grades: Mapping[str, int]) -> list[str] | dict[str, int]:
    """Return expected documents as a golden set has them: a list where every grade is 1."""
    return dict(grades) if any(grade != 1 for grade in grades.values()) else list(grades)
