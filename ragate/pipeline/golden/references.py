"""Reference answers drafted from the relevant documents; a person accepts them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ragate.config import Config
from ragate.dataset import Entry, open_golden
from ragate.models import Sample
from ragate.pipeline.golden.drafting import (
    NOT_ANSWERED,
    REFERENCES,
    DraftReplies,
    Model,
    ask_all,
    documents_block,
)
from ragate.pipeline.run.corpus_texts import Texts
from ragate.runtime.operations import Operations

MOST_DOCUMENTS, LONGEST = 5, 4000


@dataclass(frozen=True)
class Drafts:
    """What was drafted.

    Attributes:
        texts: By sample.
        unanswered: Samples whose documents do not hold the answer, says the model.
        skipped: Samples that were not asked about, with the reason.
    """

    texts: dict[str, str]
    unanswered: tuple[str, ...]
    skipped: dict[str, str]
    replies: DraftReplies


async def draft_references(
    config: Config,
    operations: Operations,
    entries: Sequence[Entry],
    texts: Texts,
    model: Model,
) -> Drafts:
    """Ask for a reference for each answerable sample that has expected documents and none yet."""
    skipped = {}
    prompts = {}
    for entry in entries:
        reason = _why_not(entry, texts)
        if reason:
            skipped[entry.sample.id] = reason
        else:
            prompts[entry.sample.id] = (REFERENCES, _user(entry.sample, texts))
    replies = await ask_all(config, operations, model, prompts) if prompts else DraftReplies()
    drafted = {key: text for key, text in replies.texts.items() if _usable(text)}
    return Drafts(
        texts=drafted,
        unanswered=tuple(key for key in replies.texts if key not in drafted),
        skipped=skipped,
        replies=replies,
    )


def _usable(text: str) -> bool:
    return bool(text) and NOT_ANSWERED not in text and len(text) <= LONGEST and "\0" not in text


def _why_not(entry: Entry, texts: Texts) -> str:
    sample = entry.sample
    if not sample.answerable:
        return "unanswerable"
    if sample.references or entry.drafted:
        return "has a reference"
    if not sample.expected & texts.keys():
        return "no expected document in the corpus"
    return ""


def _user(sample: Sample, texts: Texts) -> str:
    best = sorted(sample.expected & texts.keys(), key=lambda one: (-sample.relevant[one], one))
    documents = [(doc_id, texts[doc_id]) for doc_id in best[:MOST_DOCUMENTS]]
    return f"{documents_block(documents)}\n\nQuestion: {sample.query}"


def write_drafts(
    path: Path, entries: Sequence[Entry], drafts: Mapping[str, str], model: Model
) -> int:
    """Write drafts into a golden set, each marked as one; return how many."""
    golden = open_golden(path)
    by_id = {entry.sample.id: entry for entry in entries}
    for sample_id, text in drafts.items():
        draft = {"text": text, "draft": True, "model": model.name}
        golden.update(by_id[sample_id], "references", [draft])
    golden.save()
    return len(drafts)
