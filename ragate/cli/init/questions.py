"""Starter questions: from the headings of documents, or from recorded outputs."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import zip_longest

from ragate.core.hashing import digest
from ragate.models import Sample
from ragate.outputs.recorded_output import RecordedOutput
from ragate.systems.pgvector.corpus import Corpus, Document

_TAGS = ("starter",)
FROM_PAGES = 5
DRAFTED = 15
FROM_RECORDINGS = 50
_FENCE = re.compile(r"^(```+|~~~+).*?^\1", re.DOTALL | re.MULTILINE)
_HEADING = re.compile(r"^(#{1,3})[ \t]+(.+?)[ \t#]*$", re.MULTILINE)
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")
_MARKUP = re.compile(r"[`*_]{1,3}|<[^>]+>|\{#[^}]*\}")
_NUMBER = re.compile(r"^\d+(\.\d+)*[.)]?\s+")
# Headings that stand on many pages and so ask for none of them.
_COMMON = frozenset(
    {"introduction", "overview", "contents", "table of contents", "summary", "notes", "example"}
    | {"examples", "usage", "see also", "next", "next steps", "links", "license", "references"}
    | {"appendix", "index", "readme", "faq", "home", "getting started", "installation"}
)


def from_corpus(corpus: Corpus, most: int = FROM_PAGES) -> list[Sample]:
    """Return up to `most` questions, each with the page that it was made from as expected document.

    The pages are spread over the corpus; one page gives a second question only where there are
    fewer pages than questions.
    """
    pages = [list(_questions(document)) for document in _spread(corpus.documents, most)]
    rounds = (question for turn in zip_longest(*pages) for question in turn if question)
    samples = (
        Sample(id=f"starter-{digest(query)[:8]}", query=query, relevant={doc_id: 1}, tags=_TAGS)
        for doc_id, query in rounds
    )
    return _first_of_each(samples, most)


def drafts_from(corpus: Corpus, starters: Sequence[Sample]) -> list[Sample]:
    """Return further questions of the same kind, for a person to accept: no run asks a draft."""
    asked = {sample.id for sample in starters}
    samples = from_corpus(corpus, FROM_PAGES + DRAFTED)
    return [sample for sample in samples if sample.id not in asked][:DRAFTED]


def from_recordings(outputs: Iterable[RecordedOutput]) -> list[Sample]:
    """Return the recorded questions, without a judgement: a recording does not know what is right.

    Recordings without the text of their question give none.
    """
    samples = (
        Sample(id=output.id or f"starter-{digest(query)[:8]}", query=query, tags=_TAGS)
        for output in outputs
        if (query := " ".join(output.question.split()))
    )
    return _first_of_each(samples, FROM_RECORDINGS)


def _first_of_each(samples: Iterable[Sample], most: int) -> list[Sample]:
    """Return the first samples, of those that ask the same only one."""
    first: dict[str, Sample] = {}
    for sample in samples:
        first.setdefault(sample.query.casefold(), sample)
        if len(first) == most:
            break
    return list(first.values())


def to_jsonl(samples: Sequence[Sample], drafts: Sequence[Sample] = ()) -> str:
    """Return the samples as a golden set, one a line, the drafts after them."""
    rows = [sample.model_dump(mode="json", exclude_defaults=True) for sample in (*samples, *drafts)]
    for row in rows[len(samples) :]:
        row["draft"] = True
    return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows)


def _spread(documents: Sequence[Document], most: int) -> list[Document]:
    """Return documents from all over the corpus, those near its ends included."""
    filled = [document for document in documents if document.text.strip()]
    if len(filled) <= most:
        return filled
    step = (len(filled) - 1) / max(1, most - 1)
    return [filled[round(number * step)] for number in range(most)]


def _questions(document: Document) -> Iterator[tuple[str, str]]:
    title, *sections = _headings(document) or [_first_words(document)]
    telling = [
        heading for heading in sections if heading.casefold() not in _COMMON and len(heading) < 100
    ]
    for section in telling:
        yield document.doc_id, _as_question(section, f'What about "{section}" in "{title}"?')
    if not telling:
        yield document.doc_id, _as_question(title, f'What is "{title}" about?')


def _as_question(heading: str, question: str) -> str:
    return heading if heading.endswith("?") else question


def _headings(document: Document) -> list[str]:
    if document.kind == "text":
        return []
    text = document.text
    if document.kind == "html":
        from ragate.systems.pgvector.corpus import to_markdown

        title, text = to_markdown(text)
        text = f"# {title}\n{text}" if title else text
    headings = (_plain(match[2]) for match in _HEADING.finditer(_FENCE.sub("", text)))
    return list(dict.fromkeys(heading for heading in headings if heading))


def _plain(heading: str) -> str:
    text = _MARKUP.sub("", _LINK.sub(r"\1", heading))
    return " ".join(_NUMBER.sub("", text.strip()).split())


def _first_words(document: Document) -> str:
    """Return the beginning of a page that has no heading."""
    words = re.findall(r"[^\s#*_`<>|-][^\s<>|]*", document.text)
    return " ".join(words[:8]) or document.doc_id
