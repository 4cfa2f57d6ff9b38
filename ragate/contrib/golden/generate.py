"""Draft questions from the corpus, of several kinds; a person accepts them."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ragate.answers.corpus_texts import Texts
from ragate.config import Config
from ragate.contrib.golden.drafting import (
    QUESTIONS,
    TASKS,
    DraftReplies,
    Model,
    Prompt,
    ask_all,
    documents_block,
)
from ragate.contrib.golden.quoted_passages import normalise, passages
from ragate.core.hashing import digest
from ragate.core.text.languages import language
from ragate.core.text.near_duplicates import near_duplicates
from ragate.core.text.sentences import split_sentences
from ragate.core.text.words import tokens
from ragate.errors import DatasetError, UsageError
from ragate.files.strict_json import loads
from ragate.resources.operations import Operations

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
KINDS = tuple(TASKS)
LEAST_CHARACTERS = 40  # a document below says too little to ask about
SIMILAR = 0.8
_COMPARED = 200  # documents among which a second one is looked for
_TWO = frozenset({"multi-document", "distracting"})
_OBJECT = re.compile(r"\{.*\}", re.DOTALL)


@dataclass(frozen=True)
class QuestionPlan:
    """One question to be asked for: its kind and the documents it is about."""

    key: str
    kind: str
    docs: tuple[str, ...]


@dataclass(frozen=True)
class Generated:
    """Draft samples as rows, and how many replies were left out, by reason."""

    rows: list[dict[str, Any]]
    dropped: dict[str, int]
    replies: DraftReplies

    @property
    def too_weak(self) -> bool:
        """Whether the model cannot do this: more than half of its replies are of no use."""
        return 2 * self.replies.unusable > len(self.replies.texts)


async def generate(
    config: Config,
    operations: Operations,
    texts: Texts,
    model: Model,
    *,
    count: int,
    kinds: Sequence[str],
    seed: int,
    queries: Sequence[str] = (),
    documents: Collection[str] | None = None,
) -> Generated:
    """Ask for `count` questions; a quote that does not stand in its document drops its question.

    Args:
        kinds: Taken in turn.
        queries: Questions that are there already: what is nearly the same is dropped.
        documents: Those that questions are asked about; None asks about all.

    Raises:
        UsageError: the corpus is too small.
    """
    plans = plan(texts, count=count, kinds=kinds, seed=seed, documents=documents)
    prompts = {question.key: _prompt(question, texts, model) for question in plans}
    replies = await ask_all(config, operations, model, prompts)
    dropped: Counter[str] = Counter()
    rows = []
    for question in plans:
        if question.key in replies.texts:
            try:
                rows.append(_row(question, replies.texts[question.key], texts, model))
            except DatasetError as error:
                dropped[error.message] += 1
    new = new_rows(rows, queries)
    if len(new) < len(rows):
        dropped["nearly the same as another question"] += len(rows) - len(new)
    return Generated(new, dict(dropped), replies)


def _prompt(question: QuestionPlan, texts: Texts, model: Model) -> Prompt:
    text = {"type": "string"}
    parts: dict[str, Any] = {"question": text}
    if question.kind != "unanswerable":
        parts |= {"answer": text, "quotes": {"type": "array", "items": text}}
    schema = {
        "type": "object",
        "properties": parts,
        "required": list(parts),
        "additionalProperties": False,
    }

    def wrong(reply: str) -> str:
        try:
            _row(question, reply, texts, model)
        except DatasetError as error:
            return error.message
        return ""

    return Prompt(QUESTIONS, _user(question, texts), schema, wrong)


def plan(
    texts: Texts,
    *,
    count: int,
    kinds: Sequence[str],
    seed: int,
    documents: Collection[str] | None = None,
) -> list[QuestionPlan]:
    """Return what to ask for, the same for the same seed: each document in turn."""
    long_enough = sorted(
        (doc_id for doc_id, text in texts.items() if len(text) >= LEAST_CHARACTERS),
        key=lambda doc_id: digest([seed, doc_id]),
    )
    least = 2 if _TWO & set(kinds) else 1
    usable = [doc_id for doc_id in long_enough if documents is None or doc_id in documents]
    if len(long_enough) < least or not usable:
        raise UsageError(
            f"{len(usable)} of {len(long_enough)} documents of {LEAST_CHARACTERS} characters or "
            f"more can be asked about; this needs a corpus of {least}"
        )
    words = {doc_id: frozenset(tokens(texts[doc_id])) for doc_id in long_enough[:_COMPARED]}
    plans = []
    for number in range(count):
        kind, doc_id = kinds[number % len(kinds)], usable[number // len(kinds) % len(usable)]
        docs = (doc_id, _neighbour(doc_id, words, texts)) if kind in _TWO else (doc_id,)
        plans.append(QuestionPlan(str(number + 1), kind, docs))
    return plans


def _neighbour(doc_id: str, words: Mapping[str, frozenset[str]], texts: Texts) -> str:
    """Return the document that shares most of its words with this one."""
    doc_words = words.get(doc_id) or frozenset(tokens(texts[doc_id]))

    def likeness(candidate: str) -> float:
        return len(doc_words & words[candidate]) / max(len(doc_words | words[candidate]), 1)

    return max(
        (candidate for candidate in words if candidate != doc_id),
        key=lambda candidate: (likeness(candidate), candidate),
    )


def _user(question: QuestionPlan, texts: Texts) -> str:
    documents = documents_block([(doc_id, texts[doc_id]) for doc_id in question.docs])
    # A document that comes up again is asked for something else.
    number = f"This is question {question.key} of the collection."
    return f"{documents}\n\n{TASKS[question.kind]}\n\n{number}"


def _row(question: QuestionPlan, reply: str, texts: Texts, model: Model) -> dict[str, Any]:
    """Return a draft sample.

    Raises:
        DatasetError: the reply cannot be used; says why.
    """
    match = _OBJECT.search(reply)
    if match is None:
        raise DatasetError("no JSON object")
    value = loads(match[0], where="reply", error=DatasetError)
    query = _text(value, "question")
    row: dict[str, Any] = {"id": f"gen-{digest(query)[:10]}", "query": query}
    if question.kind == "unanswerable":
        row["answerable"] = False
    else:
        row["relevant"] = [doc_id for doc_id, _ in _quotes(question, value, texts)]
        row["references"] = [_text(value, "answer")]
    metadata = {"source": "synthetic", "kind": question.kind, "model": model.name}
    return {**row, "tags": ["generated", question.kind], "metadata": metadata, "draft": True}


def _quotes(question: QuestionPlan, value: Any, texts: Texts) -> Iterator[tuple[str, str]]:
    docs = question.docs if question.kind == "multi-document" else question.docs[:1]
    quotes = value.get("quotes") if isinstance(value, dict) else None
    if not isinstance(quotes, list) or len(quotes) < len(docs):
        raise DatasetError("no quote")
    for doc_id, quote in zip(docs, quotes, strict=False):
        if not isinstance(quote, str) or not normalise(quote):
            raise DatasetError("no quote")
        if normalise(quote) not in normalise(texts[doc_id]):
            raise DatasetError("its quote does not stand in the document")
        yield doc_id, quote.strip()


def _text(value: Any, name: str) -> str:
    text = value.get(name) if isinstance(value, dict) else None
    if not isinstance(text, str) or not text.strip() or "\0" in text or len(text) > 4000:
        raise DatasetError(f"no usable {name}")
    return " ".join(text.split())


def new_rows(rows: Sequence[dict[str, Any]], queries: Sequence[str]) -> list[dict[str, Any]]:
    """Return the rows whose question is not nearly one that is known or one before it."""
    all_queries = [*queries, *(row["query"] for row in rows)]
    twice = {near.later - len(queries) for near in near_duplicates(all_queries, threshold=SIMILAR)}
    ids: set[str] = set()
    new = []
    for number, row in enumerate(rows):
        if number not in twice and row["id"] not in ids:
            ids.add(row["id"])
            new.append(row)
    return new


# Draft questions without a model: from the headings of documents, and from what they define.


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
        [
            _draft_row(doc_id, each)
            for each in findings(doc_id, texts[doc_id], before.get(doc_id, ""))
        ]
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


def _draft_row(doc_id: str, found: DraftQuestion) -> dict[str, Any]:
    return {
        "id": f"gen-{digest([doc_id, found.query])[:10]}",
        "query": found.query,
        "relevant": [doc_id],
        "references": [_clean(found.quote)],
        "tags": ["generated", found.kind],
        "metadata": {"source": "synthetic", "kind": found.kind},
        "draft": True,
    }
