"""The one question that init puts to what it found, where somebody agrees to it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click
from pydantic import ValidationError

from ragate.cli.detect.candidate import RagCandidate
from ragate.cli.init.ask import Asked, ask, shown_run
from ragate.cli.init.config_text import Choice, RecordedParts
from ragate.cli.init.documents import IdSpelling, KnownDocuments
from ragate.cli.init.new_files import NewFile, write_new
from ragate.cli.init.questions import from_corpus
from ragate.cli.init.survey import Survey, listings
from ragate.cli.one_question import shown_reply
from ragate.cli.operations import operations, with_dotenv
from ragate.cli.streams import run_aside
from ragate.core.hashing import UNNAMED
from ragate.core.text.words import markers
from ragate.dataset import read_dataset
from ragate.models import RetrievedChunk
from ragate.outputs.pointed import Pointers, pointed
from ragate.outputs.seen_reply import LIKELY, read_events, read_reply
from ragate.support.escape import one_line
from ragate.support.pointer import PointerError, many, one
from ragate.systems.pgvector.corpus import Corpus

_WITHOUT_DOCUMENTS = "What can you tell me?"
_UNASKED = (
    "It was not asked, so what it answers is not known: `ragate doctor --ask` asks it and shows "
    "what is read of the reply."
)


def look_once(
    survey: Survey,
    choice: Choice,
    environment: dict[str, str],
    *,
    agreed: bool,
    terminal: bool,
    say: Callable[..., None],
) -> Choice:
    """Ask the chosen system one question, and return the choice with what its reply tells.

    Args:
        agreed: Whoever typed the command said so; else it is asked for, where somebody can answer.

    Raises:
        RagateError: it could not be asked, or gave no answer.
    """
    candidate = choice.candidate
    if candidate is None or candidate.use == "replay":
        return choice
    if not (agreed or terminal):
        say("", _UNASKED)
        return choice
    question, expected = _golden(survey)
    known = KnownDocuments(listings(survey), expected)
    question = question or _question(known)
    say("", "To see what it answers, ragate would run here", *shown_run(candidate, question))
    say(
        "in up to 12 ways, the one that answers twice; with your environment, the passwords of its "
        "database too, without variables that are named as keys."
    )
    if not agreed and not click.confirm("Run it", default=False):
        say(_UNASKED)
        return choice
    asked = _ask(survey.root, candidate, question, environment)
    taken = take(asked, candidate.use, known, question)
    say("", *taken_lines(taken))
    if terminal:
        taken = _corrected(taken, known, question, say)
    return _with_reply(choice, taken, known)


def _golden(survey: Survey) -> tuple[str, frozenset[str]]:
    """Return the first question of a golden set that is there, and the documents it expects."""
    samples = read_dataset(survey.root / survey.golden[0]) if survey.golden else []
    expected = frozenset(doc_id for sample in samples for doc_id in sample.expected)
    return (samples[0].query if samples else ""), expected


def _question(known: KnownDocuments) -> str:
    """Return a question about one of the documents."""
    listing = known.first
    made = from_corpus(Corpus(listing.documents), 1) if listing is not None else []
    return made[0].query if made else _WITHOUT_DOCUMENTS


def _ask(root: Path, candidate: RagCandidate, question: str, environment: dict[str, str]) -> Asked:
    settings = operations(root, with_dotenv(root, environment))
    written = [
        root / name
        for name, text in candidate.files.items()
        if write_new(NewFile(root / name, text))
    ]
    try:
        return run_aside(ask(root, candidate, question, settings))
    except BaseException:
        for path in written:
            path.unlink(missing_ok=True)
        raise


def _corrected(
    taken: Taken, known: KnownDocuments, question: str, say: Callable[..., None]
) -> Taken:
    """Return what was taken after a person looked at it, and said what stands elsewhere."""
    pointers: dict[str, str] = {}
    while typed := click.prompt(
        "Right? Enter for yes, or what stands elsewhere, such as documents=/hits/*/slug",
        default="",
        show_default=False,
    ):
        told = correction(typed)
        if told is None:
            say("  write part=/pointer, or part=none: answer, passages, documents, citations …")
            continue
        pointers |= told
        taken = take(taken.asked, taken.use, known, question, pointers)
        say(*taken_lines(taken))
    return taken


def _with_reply(choice: Choice, taken: Taken, known: KnownDocuments) -> Choice:
    """Return the choice with the keys that read its reply, and the documents as it calls them."""
    listing = taken.spelling.listing
    source = listing.folder if listing is not None and listing.folder else choice.source
    spelt, first = taken.spelling.spelt(), known.first
    return replace(
        choice,
        source=source,
        settings=taken.settings,
        parts=taken.parts,
        documents=spelt or (first.documents if first is not None else ()),
        judged=bool(spelt),
    )


# What is taken from a real reply: where its parts stand, and how it calls the documents.


LABELS = {
    "answer": "answer",
    "contexts": "passages",
    "ids": "documents",
    "scores": "scores",
    "citations": "citations",
    "usage": "usage",
}
_CORRECTION = re.compile(r"\s*(\w+)\s*=\s*(/\S*|none)\s*")
_METADATA = re.compile(r"/nodes/\*/metadata/([^/]+)")
_SHOWN = 100


@dataclass(frozen=True)
class Taken:
    """What a reply holds, and the keys that read it.

    Attributes:
        pointers: Where its parts stand, by part.
        spelling: How it calls the documents.
        native: The system reads it without pointers.
    """

    asked: Asked
    use: str
    pointers: Mapping[str, str]
    spelling: IdSpelling
    native: bool

    @property
    def settings(self) -> dict[str, Any]:
        """Keys of ``[system]`` that read the reply, beside those that ask for it."""
        keys = dict(self.asked.settings)
        listing = self.spelling.listing
        if self.spelling.absolute and listing is not None:
            keys["doc_id_relative_to"] = listing.folder
        if self.use == "llamaindex":
            keys.pop("doc_id", None)
            if named := _METADATA.fullmatch(self.pointers.get("ids", "")):
                keys["doc_id"] = named[1]
        elif not self.native:
            cut = {"id_before": self.spelling.cut} if self.spelling.cut else {}
            keys["pointers"] = {**self.pointers, **cut}
        return keys

    @property
    def parts(self) -> RecordedParts:
        """Which parts come back, and so what can be measured."""
        if self.native and self.use != "llamaindex":
            chunks = self.asked.output.chunks
            named = bool(chunks) and not _unnamed(chunks)
            texts = any(chunk.text for chunk in chunks)
            output = self.asked.output
            cites = bool(output.citations or markers(output.answer or ""))
            return RecordedParts(output.answer is not None, texts, named, cites)
        parts = ("answer", "contexts", "ids", "citations")
        return RecordedParts(*(part in self.pointers for part in parts))


def take(
    asked: Asked,
    use: str,
    known: KnownDocuments,
    question: str,
    corrected: Mapping[str, str] | None = None,
) -> Taken:
    """Return what a reply holds.

    Args:
        corrected: Pointers that a person wrote, by part; "" for a part that is not there.
    """
    reading = read_events if asked.settings.get("stream") else read_reply
    found = reading(asked.reply, question=question, known=known.share).pointers
    pointers = {**found, **(corrected or {})}
    pointers = {part: pointer for part, pointer in pointers.items() if pointer}
    names = _values(asked, pointers.get("ids", ""))
    spelling = known.spelling(names)
    if spelling.share < LIKELY:
        spelling = IdSpelling(spelling.share)
    native = not corrected and _is_native(asked, pointers, spelling, known)
    return Taken(asked, use, pointers, spelling, native)


def _is_native(
    asked: Asked, pointers: Mapping[str, str], spelling: IdSpelling, known: KnownDocuments
) -> bool:
    """Whether the system reads the reply without pointers as well as with them."""
    if isinstance(asked.reply, str):
        return True
    output = asked.output
    if (
        output.error is not None
        or spelling.absolute
        or spelling.cut
        or asked.settings.get("stream")
    ):
        return False
    ids = [chunk.doc_id for chunk in output.chunks]
    as_many = not pointers.get("ids") or (ids and known.share(ids) >= spelling.share)
    named = as_many and not (pointers.get("ids") and _unnamed(output.chunks))
    texts = not pointers.get("contexts") or any(chunk.text for chunk in output.chunks)
    answered = pointers.get("answer", "/answer") == "/answer" and (
        "answer" not in pointers or output.answer is not None
    )
    usual = all(pointers.get(part, f"/{part}") == f"/{part}" for part in ("citations", "usage"))
    return bool(named and texts and answered and usual)


def _unnamed(chunks: Sequence[RetrievedChunk]) -> bool:
    return any(chunk.doc_id.startswith(UNNAMED) for chunk in chunks)


def _values(asked: Asked, pointer: str) -> list[str]:
    """Return the ids that stand at a pointer, [] where none does."""
    if not pointer:
        return []
    replies = asked.reply if asked.settings.get("stream") else [asked.reply]
    for reply in replies:
        try:
            return [str(value) for value in many(reply, pointer)]
        except PointerError:
            continue
    return []


def correction(text: str) -> dict[str, str] | None:
    """Return the pointer that a person wrote, ``documents=/hits/*/slug``; None for other texts."""
    match = _CORRECTION.fullmatch(text)
    parts = {**{label: part for part, label in LABELS.items()}, **{part: part for part in LABELS}}
    if match is None or match[1].lower() not in parts:
        return None
    return {parts[match[1].lower()]: "" if match[2] == "none" else match[2]}


def taken_lines(taken: Taken) -> Iterator[str]:
    """Yield the reply with what ragate took from it."""
    asked = taken.asked
    again = "the same" if asked.equal else "something else"
    yield f"It answered in {asked.took_s:.2f} s, and {again} when it was asked again:"
    yield f"  {shown_reply(asked.reply)}"
    yield "What ragate takes from it:"
    if isinstance(asked.reply, str):
        yield "  answer      all of it; no passages and no documents come with it"
        return
    for part, label in LABELS.items():
        if pointer := taken.pointers.get(part):
            yield f"  {label:<11} {pointer}  {_shown(taken, part, pointer)}"
    missing = [label for part, label in LABELS.items() if part not in taken.pointers]
    if missing:
        yield f"  not found: {', '.join(missing)}"
    if wrong := _wrong(taken):
        yield f"  wrong: {wrong}"


def _shown(taken: Taken, part: str, pointer: str) -> str:
    """Return what stands there, and whose documents these are."""
    if taken.asked.settings.get("stream"):
        return "in the events of the stream"
    if part in {"answer", "usage"}:
        try:
            return one_line(str(one(taken.asked.reply, pointer)), _SHOWN)
        except PointerError as error:
            return str(error)
    values = _values(taken.asked, pointer)
    first = one_line(", ".join(values), _SHOWN)
    if part != "ids":
        return f"{len(values)}: {first}"
    return f"{len(values)}: {first} ({_whose(taken.spelling)})"


def _whose(spelling: IdSpelling) -> str:
    cut = f", up to {spelling.cut!r}" if spelling.cut else ""
    if spelling.listing is not None:
        return f"{spelling.share:.0%} known: {spelling.listing.where}, by {spelling.name}{cut}"
    if spelling.share:
        return f"{spelling.share:.0%} known from the golden set{cut}"
    return "by its name alone: no such document was found here"


def _wrong(taken: Taken) -> str:
    """Return why the pointers do not read the reply, "" where they do."""
    if taken.native or taken.use == "llamaindex" or taken.asked.settings.get("stream"):
        return ""
    try:
        pointed(taken.asked.reply, Pointers.model_validate(taken.pointers))
    except (PointerError, ValidationError) as error:
        return one_line(str(error), 2 * _SHOWN)
    return ""
