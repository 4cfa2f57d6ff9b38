"""Recording the passages that answers rest on."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ragate.core.text.quoted_passages import holds, normalise, passage_hash, passages
from ragate.core.text.words import tokens
from ragate.dataset import Entry
from ragate.dataset.edit import open_golden
from ragate.models import Evidence, Sample
from ragate.pipeline.run.corpus_texts import Texts

MOST_QUOTED = 1000  # characters


@dataclass(frozen=True)
class RecordedPassages:
    """What `record` did for one sample.

    Attributes:
        passages: By document, the passage that was found for it.
        kept: Documents whose evidence stays as it was.
    """

    entry: Entry
    passages: dict[str, str]
    kept: tuple[str, ...]


def propose(entries: Sequence[Entry], texts: Texts, *, renew: bool) -> list[RecordedPassages]:
    """Return, for each sample with expected documents, the passages that are its evidence.

    Args:
        renew: Also where there is evidence that the document no longer holds; evidence that still
            stands is never touched.
    """
    records = []
    for entry in entries:
        sample = entry.sample
        fresh, standing = {}, []
        for doc_id in sorted(sample.expected & texts.keys()):
            old = sample.evidence.get(doc_id)
            if old is not None and (not renew or _sound(old, texts[doc_id])):
                standing.append(doc_id)
            elif passage := best_passage(sample, texts[doc_id]):
                fresh[doc_id] = passage
        if fresh or standing:
            records.append(RecordedPassages(entry, fresh, tuple(standing)))
    return records


def _sound(evidence: Evidence, text: str) -> bool:
    matches = (
        not (evidence.quote and evidence.hash) or passage_hash(evidence.quote) == evidence.hash
    )
    return matches and holds(text, evidence)


def best_passage(sample: Sample, text: str) -> str:
    """Return the paragraph that shares most words with the references, else with the question.

    Each word counts once; a longer paragraph wins only by more of them. "" where the document has
    no text.
    """
    paragraphs = list(passages(text))
    paragraphs = [passage for passage in paragraphs if not _heading(passage)] or paragraphs
    answer_words = set(tokens(" ".join(sample.references))) or set(tokens(sample.query))
    query_words = set(tokens(sample.query))

    def merit(passage: str) -> tuple[float, float]:
        words = set(tokens(passage))
        return len(words & answer_words) + 0.25 * len(words & query_words), -len(words)

    return max(paragraphs, key=merit, default="")


def _heading(passage: str) -> bool:
    return passage.startswith("#") and "\n" not in passage


def record(path: Path, records: Sequence[RecordedPassages], *, hash_only: bool) -> None:
    """Write the passages into a golden set."""
    golden = open_golden(path)
    for row in records:
        evidence = {
            doc_id: old.model_dump(exclude_defaults=True)
            for doc_id, old in row.entry.sample.evidence.items()
        }
        new = {
            doc_id: _written(text, quoted=not hash_only) for doc_id, text in row.passages.items()
        }
        if new:
            golden.update(row.entry, "evidence", {**evidence, **new})
    golden.save()


def _written(text: str, *, quoted: bool) -> dict[str, str]:
    evidence = {"hash": passage_hash(text)}
    if quoted and len(text) <= MOST_QUOTED and normalise(text):
        evidence = {"quote": text, **evidence}
    return evidence
