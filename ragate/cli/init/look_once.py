"""The one question that init puts to what it found, where somebody agrees to it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from ragate.cli.init.adapter import SOURCES, is_unfilled
from ragate.cli.init.ask import MOST_TRIES, Asked, ask, shown_run
from ragate.cli.init.config_text import DATASET, Choice, RecordedParts
from ragate.cli.init.documents import IdSpelling, KnownDocuments, known_documents
from ragate.cli.init.new_files import NewFile, write_new
from ragate.cli.init.questions import from_corpus
from ragate.cli.init.survey import Survey
from ragate.cli.one_question import WITHOUT_DOCUMENTS, shown_reply
from ragate.cli.operations import operations, with_dotenv
from ragate.cli.streams import run_aside
from ragate.config import CONFIG_NAME
from ragate.core.text.words import markers
from ragate.files.pointer import PointerError, many, one
from ragate.guards.escape import one_line, plain
from ragate.outputs.seen_reply import LIKELY, read_events, read_reply
from ragate.repository.git import is_tracked
from ragate.systems.pgvector.corpus import Corpus

_SHOWN_VARIABLES = frozenset({".example", ".sample", ".template", ".dist"})
_UNASKED = (
    "It was not asked, so what it answers is not known: `ragate doctor --ask` asks it and shows "
    "what is read of the reply."
)
# What a person calls the parts of a reply.
LABELS = {
    "answer": "answer",
    "contexts": "passages",
    "ids": "documents",
    "scores": "scores",
    "citations": "citations",
    "usage": "usage",
}
# Where a system looks that is told nothing else.
_NATIVE = frozenset(
    {"/answer", "/chunks/*/text", "/chunks/*/doc_id", "/chunks/*/score", "/citations", "/usage"}
)
_CORRECTION = re.compile(r"\s*(\w+)\s*=\s*(/\S*|none)\s*")
_SHOWN = 100


def say(*lines: str) -> None:
    """Print lines, whatever a project's names hold."""
    for line in lines:
        click.echo(plain(line))


def look_once(
    survey: Survey,
    choice: Choice,
    *,
    agreed: bool,
    terminal: bool,
    passed: Sequence[str],
) -> Choice:
    """Ask the chosen system one question, and return the choice with what its reply tells.

    Args:
        agreed: Whoever typed the command said so; else it is asked for, where somebody can answer.
        passed: Variables with keys that it may have.

    Raises:
        RagateError: it could not be asked, or gave no answer.
    """
    if not choice.unasked:
        return choice
    is_code = choice.system != "http"
    if is_code and choice.unfilled and not _filled_in(survey.root, choice, terminal):
        return choice
    if not (agreed or terminal):
        say("", _UNASKED)
        return choice

    known = known_documents(survey)
    passed = [*passed, *choice.settings.get("headers_env", {}).values()]
    question = _question(known)
    keys = f"of your keys only {', '.join(passed)}" if passed else "none of your keys"
    say("", "To see what it answers, ragate would run here", *shown_run(choice, question))
    say(
        f"in up to {MOST_TRIES} ways; the one that is answered is asked again. It gets your "
        f"environment, the passwords of its database too, but {keys}."
    )
    if not agreed and not click.confirm("Run it", default=False):
        say(_UNASKED)
        return choice

    _write_adapter(survey.root, choice)  # it stays, to be mended where it does not answer
    settings = operations(survey.root, with_dotenv(survey.root, os.environ))
    asked = run_aside(ask(survey.root, choice, question, settings, frozenset(passed)))
    taken = take(asked, known, question)
    say("", *taken_lines(taken))
    if terminal:
        taken = _corrected(taken, known, question)
    say(*missing_sources(taken.parts, question))
    own = own_variables(survey)
    if own and not passed:
        say("", f"{own} is in no checkout: what your code reads there, a job in CI needs as well.")
    return replace(
        choice,
        keyless=not (passed or own),
        keys=tuple(passed) or choice.keys,
        settings=taken.settings,
        parts=taken.parts,
        documents=taken.spelling.documents or known.documents,
        judged=bool(taken.spelling.documents),
    )


def _filled_in(root: Path, choice: Choice, terminal: bool) -> bool:
    """Return whether the adapter says what is called, once a person had the time to write it."""
    path = root / choice.unfilled.partition(":")[0]
    _write_adapter(root, choice)
    say("", f"It cannot be asked yet. {choice.unfilled}.")
    while terminal and is_unfilled(path):
        if not click.confirm("Filled in? (n goes on without asking it)", default=True):
            return False
    return not is_unfilled(path)


def _write_adapter(root: Path, choice: Choice) -> None:
    for name, text in choice.files.items():
        write_new(NewFile(root / name, text))


def _question(known: KnownDocuments) -> str:
    """Return the first question of the golden set that is there, else one about a document."""
    made = from_corpus(Corpus(known.documents), 1) if known.documents else []
    return next((sample.query for sample in [*known.samples, *made]), WITHOUT_DOCUMENTS)


def own_variables(survey: Survey) -> str:
    """Return the file of variables that its code may read by itself, "" where there is none but
    those that git knows, or that show which variables there are.
    """
    found = [path for folder in (survey.root, survey.top) for path in folder.glob(".env*")]
    read = (one for one in found if one.is_file() and one.suffix not in _SHOWN_VARIABLES)
    return next((one.name for one in sorted(read) if not is_tracked(survey.top, one)), "")


def missing_sources(parts: RecordedParts, question: str) -> Iterator[str]:
    """Yield what cannot be gated for want of sources, and how they are returned."""
    if parts.ids and parts.texts:
        return
    if question == WITHOUT_DOCUMENTS and not parts.ids:
        yield ""
        yield "No sources came back, but the question was nobody's, and that says little. Write one"
        yield f"that it can answer into {DATASET}, remove {CONFIG_NAME}, and type the same again."
        return
    lack = (
        "No texts of passages came back: whether they bear the answer out cannot be seen"
        if parts.ids
        else "No sources came back: retrieval cannot be gated"
    )
    yield from ("", f"{lack}. Return your sources like this:")
    yield from (f"  {line}" for line in SOURCES.splitlines())


# What is taken from a real reply: where its parts stand, and how it calls the documents.


@dataclass(frozen=True)
class Taken:
    """What a reply holds, and the keys that read it.

    Attributes:
        pointers: Where its parts stand, by part.
        spelling: How it calls the documents.
        native: The system reads it without pointers.
    """

    asked: Asked
    pointers: Mapping[str, str]
    spelling: IdSpelling
    native: bool

    @property
    def settings(self) -> dict[str, Any]:
        """Keys of ``[system]`` that read the reply, beside those that ask for it."""
        keys = dict(self.asked.settings)
        if self.spelling.relative_to:
            keys["doc_id_relative_to"] = self.spelling.relative_to
        if not self.native:
            keys["pointers"] = dict(self.pointers)
        return keys

    @property
    def parts(self) -> RecordedParts:
        """Which parts come back, and so what can be measured."""
        found = self.pointers
        return RecordedParts(
            answers="answer" in found or isinstance(self.asked.reply, str),
            texts="contexts" in found,
            ids="ids" in found,
            cites="citations" in found or bool(markers(self.asked.output.answer or "")),
        )


def take(
    asked: Asked, known: KnownDocuments, question: str, corrected: Mapping[str, str] | None = None
) -> Taken:
    """Return what a reply holds.

    Args:
        corrected: Pointers that a person wrote, by part; "" for a part that is not there.
    """
    reading = read_events if asked.settings.get("stream") else read_reply
    found = reading(asked.reply, question=question, known=known.share).pointers
    pointers = {**found, **(corrected or {})}
    pointers = {part: pointer for part, pointer in pointers.items() if pointer}
    ids = _values(asked, pointers.get("ids", ""))
    spelling = known.spelling(ids)
    if spelling.share < LIKELY:
        spelling = IdSpelling(spelling.share)
    native = not corrected and not spelling.relative_to and _reads_alike(asked, pointers)
    return Taken(asked, pointers, spelling, native)


def _reads_alike(asked: Asked, pointers: Mapping[str, str]) -> bool:
    """Whether the system reads the same of a reply without pointers."""
    if isinstance(asked.reply, str):
        return True
    is_read = asked.output.error is None and asked.output.answer is not None
    return is_read and not asked.settings.get("stream") and _NATIVE.issuperset(pointers.values())


def _values(asked: Asked, pointer: str) -> list[str]:
    """Return what stands at a pointer, [] where nothing does."""
    replies = asked.reply if asked.settings.get("stream") else [asked.reply]
    for reply in replies if pointer else ():
        with suppress(PointerError, ValueError):
            return [str(value) for value in many(reply, pointer)]
    return []


def _corrected(taken: Taken, known: KnownDocuments, question: str) -> Taken:
    """Return what was taken after a person looked at it, and said what stands elsewhere."""
    pointers: dict[str, str] = {}
    while typed := click.prompt(
        "Right? Enter for yes, or what stands elsewhere, such as documents=/hits/*/slug",
        default="",
        show_default=False,
    ):
        pointer = correction(typed)
        if pointer is None:
            say("  write part=/pointer, or part=none: answer, passages, documents, citations …")
            continue
        pointers |= pointer
        taken = take(taken.asked, known, question, pointers)
        say(*taken_lines(taken))
    return taken


def correction(text: str) -> dict[str, str] | None:
    """Return the pointer that a person wrote, ``documents=/hits/*/slug``; None for other texts."""
    match = _CORRECTION.fullmatch(text)
    parts = [part for part, label in LABELS.items() if match and match[1].lower() == label]
    return {parts[0]: "" if match[2] == "none" else match[2]} if match and parts else None


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


def _shown(taken: Taken, part: str, pointer: str) -> str:
    """Return what stands there, or why nothing does, and whose documents these are."""
    if taken.asked.settings.get("stream"):
        return "in the events of the stream"
    try:
        if part in {"answer", "usage"}:
            return one_line(str(one(taken.asked.reply, pointer)), _SHOWN)
        values = [str(value) for value in many(taken.asked.reply, pointer)]
    except (PointerError, ValueError) as error:
        return one_line(f"wrong: {error}", 2 * _SHOWN)
    shown = f"{len(values)}: {one_line(', '.join(values), _SHOWN)}"
    if part != "ids":
        return shown
    if taken.spelling.how:
        return f"{shown} ({taken.spelling.share:.0%} known: {taken.spelling.how})"
    share = taken.spelling.share
    known = f"{share:.0%} of them are known here" if share else "no such document was found here"
    return f"{shown} (by its name alone: {known})"
