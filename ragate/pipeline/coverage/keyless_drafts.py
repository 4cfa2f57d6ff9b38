"""Draft questions without a model: from the headings of documents, and from what they define."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragate.core.hashing import digest
from ragate.core.text.languages import language
from ragate.core.text.quoted_passages import normalise, passage_hash, passages
from ragate.core.text.sentences import split_sentences
from ragate.pipeline.run.corpus_texts import Texts

_FENCE = re.compile(r"^ {0,3}(```|~~~)")
_HEADING = re.compile(r"^ {0,3}(#{1,6})[ \t]+(.{1,200}?)[ \t#]*$")
_NO_PROSE = re.compile(r"^\s*(\||!\[|<|\{|---|```|~~~)")
_LINK = re.compile(r"!?\[([^\[\]]{0,300})\]\([^()\s]{0,500}\)")
_MARKS = re.compile(r"[*_`]+")
_MARKED = re.compile(r"^(?:[-*+] )?\*\*([^*\n:.!?]{2,60})(?::\*\*|\*\*\s*(?::|–|—| -))\s+\S")
_DEFINED = re.compile(
    r"^(?P<term>(?:(?:An?|The) )?[^\s.,;:!?]+(?: [^\s.,;:!?]+){0,4}?) "
    r"(?:(?P<be>is|are) (?:an?|the|one|any|all) |(?P<mean>means|stands for|refers to) )"
)
_QUESTION = re.compile(r"(what|when|where|which|who|why|how) ", re.IGNORECASE)
_NO_TERM = re.compile(
    r"(this|that|it|there|here|these|those|they|what|which|who|if|when|where|we|you|he|she|i|one)\b",
    re.IGNORECASE,
)
_READ = 4000  # characters of a paragraph
_LEAST, _MOST_QUOTE = 25, 400  # characters of a passage that is asked about, and of a quote


@dataclass(frozen=True)
class DraftQuestion:
    """A question that a passage answers, as far as its form tells."""

    kind: str
    query: str
    quote: str


def keyless_drafts(
    texts: Texts,
    documents: Sequence[str],
    before: Mapping[str, str],
    *,
    count: int,
    seed: int = 0,
) -> list[dict[str, Any]]:
    """Return drafts as rows, at most `count`: each document in turn, one question of it.

    Args:
        documents: Those to ask about.
        before: Old texts: a passage that stands in its document's is not asked about.
        seed: Another seed takes the documents in another order.
    """
    order = sorted(documents, key=lambda doc_id: digest([seed, doc_id]))
    found = [
        [_row(doc_id, each) for each in findings(doc_id, texts[doc_id], before.get(doc_id, ""))]
        for doc_id in order
    ]
    longest = max(map(len, found), default=0)
    rows = [rows[turn] for turn in range(longest) for rows in found if turn < len(rows)]
    return rows[:count]


def findings(doc_id: str, text: str, before: str = "") -> Iterator[DraftQuestion]:
    """Yield what one document can be asked, in its order, but for what stood in it before."""
    old = normalise(before)
    title = doc_id.rpartition("/")[2].partition(".")[0].replace("-", " ").replace("_", " ")
    is_english = language(text) in ("en", "")
    for number, (heading, body) in enumerate(_sections(text)):
        title = heading if number == 0 and heading else title
        fresh = [each for each in _prose(body) if not old or normalise(each) not in old]
        asked = _asked(heading, title, is_english) if heading and (number or "?" in heading) else ""
        if asked and fresh:
            yield DraftQuestion("heading", asked, _quote(fresh[0]))
        for paragraph in fresh:
            term, verb = _term(paragraph[:_READ]) if is_english else ("", "")
            if term:
                words = f"What does {term} mean?" if verb == "mean" else f"What {verb} {term}?"
                yield DraftQuestion("definition", words, _quote(paragraph))


def _sections(text: str) -> Iterator[tuple[str, str]]:
    """Yield each heading with the text below it; what stands above the first has the heading ""."""
    heading, body, is_code = "", [], False
    for line in text.split("\n"):
        is_code ^= bool(_FENCE.match(line))
        found = None if is_code else _HEADING.match(line)
        if found is None:
            body.append(line)
            continue
        if heading or any(map(str.strip, body)):
            yield heading, "\n".join(body)
        heading, body = _clean(found[2]), []
    yield heading, "\n".join(body)


def _prose(body: str) -> Iterator[str]:
    """Yield the paragraphs that are sentences: no code, table, picture or markup."""
    is_code = False
    for paragraph in passages(body):
        opens = sum(bool(_FENCE.match(line)) for line in paragraph.split("\n")) % 2 == 1
        was_code, is_code = is_code, is_code ^ opens
        if was_code or is_code or _NO_PROSE.match(paragraph):
            continue
        if len(_clean(paragraph)) >= _LEAST:
            yield paragraph


def _asked(heading: str, title: str, is_english: bool) -> str:
    if heading.endswith("?"):
        return heading
    subject = heading if " " in heading or heading == title else f"{heading} ({title})"
    if not is_english:
        return f"{subject}?"
    if heading.lower().startswith("how to "):
        return f"How do I {heading[7:]}?"
    if _QUESTION.match(heading):
        return f"{heading}?"
    return f"What do I need to know about {_lowered(subject)}?"


def _lowered(text: str) -> str:
    """Return the text as it stands inside a sentence: a word's capital goes, a name's stays."""
    second = text[1:2]
    return text[:1].lower() + text[1:] if second.islower() or second == " " else text


def _term(paragraph: str) -> tuple[str, str]:
    """Return what a paragraph defines, and the verb to ask with; "" twice where it defines none."""
    if marked := _MARKED.match(paragraph):
        return _clean(marked[1]), "mean"
    found = _DEFINED.match(_clean(paragraph))
    if found is None or _NO_TERM.match(found["term"]):
        return "", ""
    term = _lowered(found["term"]) if " " in found["term"] else found["term"]
    return term, found["be"] or "mean"


def _quote(paragraph: str) -> str:
    """Return the first sentences of a paragraph, word for word."""
    flat = " ".join(paragraph[:_READ].split())
    sentences = split_sentences(flat)
    kept = ""
    for sentence in sentences[:2]:
        end = flat.find(sentence, len(kept)) + len(sentence)
        if kept and end > _MOST_QUOTE:
            break
        kept = flat[:end]
    return (kept or flat)[:_MOST_QUOTE].strip()


def _clean(text: str) -> str:
    """Return a text without the marks of Markdown, on one line."""
    return " ".join(_MARKS.sub("", _LINK.sub(r"\1", text)).split())


def _row(doc_id: str, found: DraftQuestion) -> dict[str, Any]:
    return {
        "id": f"gen-{digest([doc_id, found.query])[:10]}",
        "query": found.query,
        "relevant": [doc_id],
        "references": [_clean(found.quote)],
        "evidence": {doc_id: {"quote": found.quote, "hash": passage_hash(found.quote)}},
        "tags": ["generated", found.kind],
        "metadata": {"source": "synthetic", "kind": found.kind},
        "draft": True,
    }
