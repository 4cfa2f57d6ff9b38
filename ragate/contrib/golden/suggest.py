"""Expected documents proposed by a retrieval; a person decides which of them are labels."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ragate import plugins
from ragate.answers.collected_outputs import run_pass
from ragate.config import Config
from ragate.contrib.golden.golden_file import GoldenFile, open_golden
from ragate.core.hashing import digest
from ragate.dataset import Entry, read_entries
from ragate.errors import ConfigError, DatasetError, UsageError
from ragate.files.foreign_files import read_text
from ragate.guards.escape import one_line
from ragate.models import Sample, SystemOutput
from ragate.protocols import Resources
from ragate.resources.operations import Operations
from ragate.resources.resources import open_resources
from ragate.settings import nearest, shown

_LIST = "`ragate dataset accept` without an id lists every draft with its id"
MAX_BYTES = 64 * 1024 * 1024
_TEXT = 400
_HEADING = re.compile(r"## (\".*\") ([0-9a-f]{16})")
_BOX = re.compile(r"- \[(.*?)\] (\".*)")
_TICKS = {"x": 1, "X": 1, "": None}
_HEAD = """\
# Review of {path}

Put an x into the box of each document that answers its question, or a grade: 0 for one that does
not, 2 or more for one that answers it better than others. An empty box says nothing. Then:

    ragate dataset suggest {path} --apply THIS-FILE
"""
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
    system: str,
    corpus: Path | None,
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


# The review file: proposals with boxes to tick, written and read back.
#
# What a corpus says stands in it indented, on one line and without hidden characters, so that
# no document can tick a box of its own.


def review_text(path: Path, suggestions: Sequence[Suggestion]) -> str:
    """Return the review file for these proposals; every box is empty."""
    return _HEAD.format(path=path) + "".join(
        line for suggestion in suggestions for line in _section(suggestion)
    )


def _section(suggestion: Suggestion) -> Iterator[str]:
    sample_id = json.dumps(suggestion.sample_id, ensure_ascii=False)
    yield f"\n## {sample_id} {digest(suggestion.query)}\n"
    yield f"> {one_line(suggestion.query, 1000)}\n\n"
    if suggestion.error:
        yield f"> nothing was retrieved: {one_line(suggestion.error)}\n"
    for proposal in suggestion.proposals:
        score = "" if proposal.score is None else f", score {proposal.score:.4g}"
        mark = ", labelled already" if proposal.doc_id in suggestion.labelled else ""
        doc_id = json.dumps(proposal.doc_id, ensure_ascii=False)
        yield f"- [ ] {doc_id} (rank {proposal.rank}{score}{mark})\n"
        yield f"      {one_line(proposal.text, _TEXT)}\n"


def read_review(path: Path, entries: Mapping[str, Entry]) -> dict[str, dict[str, int]]:
    """Return the grades that a person gave, by sample and document.

    Args:
        entries: The golden set, by id.

    Raises:
        DatasetError: a line cannot be read, or is about a question that is not there or that was
            edited since; names the line.
    """
    text = read_text(path, error=DatasetError, max_bytes=MAX_BYTES)
    grades: dict[str, dict[str, int]] = {}
    sample_id = ""
    for number, line in enumerate(text.split("\n"), start=1):
        where = f"{path}:{number}"
        if line.startswith("## "):
            sample_id = _sample(where, line.rstrip(), entries)
        elif line.startswith("- ["):
            doc_id, grade = _box(where, line.rstrip())
            if not sample_id:
                raise DatasetError(f"{where}: a box before any question")
            if grade is not None:
                grades.setdefault(sample_id, {})[doc_id] = grade
    return grades


def _sample(where: str, line: str, entries: Mapping[str, Entry]) -> str:
    heading = _HEADING.fullmatch(line)
    if heading is None:
        raise DatasetError(f'{where}: {line[:80]!r}: a heading is ## "id" and a hash, as written')
    sample_id = str(json.loads(heading[1]))
    if sample_id not in entries:
        raise DatasetError(f"{where}: no sample has the id {sample_id!r}")
    if digest(entries[sample_id].sample.query) != heading[2]:
        raise DatasetError(
            f"{where}: {sample_id!r} was edited after this review was written",
            remedy="write the review anew: `ragate dataset suggest --review FILE`",
        )
    return sample_id


def _box(where: str, line: str) -> tuple[str, int | None]:
    box = _BOX.fullmatch(line)
    try:
        doc_id, _ = json.JSONDecoder().raw_decode(box[2] if box else "")
        tick = box[1].strip() if box else ""
        grade = _TICKS[tick] if tick in _TICKS else int(tick)
    except ValueError as error:
        raise DatasetError(
            f"{where}: {line[:80]!r}: a box holds nothing, an x or a grade, as in - [x]"
        ) from error
    if grade is not None and not -1 <= grade <= 1000:
        raise DatasetError(f"{where}: grade {grade}: must be from -1 to 1000")
    return str(doc_id), grade


# Writing what a person accepted: labels, references, whole samples.


def parse_pairs(texts: Iterable[str], ids: Iterable[str]) -> list[tuple[str, str]]:
    """Return (sample, document) of ``SAMPLE:DOCUMENT``; ids may hold colons themselves.

    Raises:
        UsageError: no sample has such an id, or two readings are possible.
    """
    sample_ids = set(ids)
    pairs_read = []
    for text in texts:
        cuts = [n for n, char in enumerate(text) if char == ":"]
        pairs = [
            (text[:n], text[n + 1 :]) for n in cuts if text[:n] in sample_ids and text[n + 1 :]
        ]
        if len(pairs) != 1:
            name = text.partition(":")[0]
            why = (
                "could mean two samples" if pairs else f"no such sample{nearest(name, sample_ids)}"
            )
            if not cuts:
                why = "must be SAMPLE:DOCUMENT"
            raise UsageError(
                f"--accept {shown(text)}: {why}",
                remedy="write the sample's id, a colon and the document: --accept q1:refunds.md",
            )
        pairs_read += pairs
    return pairs_read


def write_labels(path: Path, grades: Mapping[str, Mapping[str, int]]) -> int:
    """Add expected documents to the samples of a golden set; return how many labels are new.

    The file keeps its bytes where every label is there already.
    """
    golden = open_golden(path)
    entries = {entry.sample.id: entry for entry in read_entries(path)}
    count = 0
    for sample_id, new_grades in grades.items():
        entry = entries[sample_id]
        before = entry.sample.relevant
        new = {doc_id: grade for doc_id, grade in new_grades.items() if before.get(doc_id) != grade}
        count += len(new)
        if new:
            golden.update(entry, "relevant", as_labels({**before, **new}))
    golden.save()
    return count


def accept_drafts(path: Path, ids: Iterable[str], *, reject: bool) -> dict[str, str]:
    """Make drafts count, or remove them; return what became of each sample.

    Raises:
        UsageError: a sample is not there, or nothing of it is a draft.
    """
    golden = open_golden(path)
    entries = {entry.sample.id: entry for entry in read_entries(path)}
    outcomes = {}
    for sample_id in ids:
        entry = entries.get(sample_id)
        if entry is None:
            raise UsageError(
                f"no sample has the id {sample_id!r}{nearest(sample_id, entries)}", remedy=_LIST
            )
        if not entry.draft and not entry.drafted:
            raise UsageError(f"{sample_id!r} holds no draft", remedy=_LIST)
        outcomes[sample_id] = _settle(golden, entry, reject=reject)
    golden.save()
    return outcomes


def _settle(golden: GoldenFile, entry: Entry, *, reject: bool) -> str:
    if entry.draft and reject:
        golden.remove(entry)
        return "removed"
    settled = []
    if entry.drafted:
        references = [*entry.sample.references, *(() if reject else entry.drafted)]
        golden.update(entry, "references", references or None)
        count = len(entry.drafted)
        settled.append(f"{count} reference{'' if count == 1 else 's'}")
    if entry.draft:
        golden.update(entry, "draft", None)
        settled.append("the sample")
    return f"{', '.join(settled)} {'removed' if reject else 'accepted'}"
