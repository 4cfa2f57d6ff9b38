"""The one question that init puts to what it found, where somebody agrees to it."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import click

from ragate.cli.detect.candidate import RagCandidate
from ragate.cli.init.ask import Asked, ask, shown_run
from ragate.cli.init.config_text import Choice
from ragate.cli.init.documents import KnownDocuments
from ragate.cli.init.new_files import NewFile, write_new
from ragate.cli.init.questions import from_corpus
from ragate.cli.init.survey import Survey, listings
from ragate.cli.init.taken import Taken, correction, take, taken_lines
from ragate.cli.operations import operations, with_dotenv
from ragate.cli.streams import run_aside
from ragate.dataset import read_dataset
from ragate.systems.pgvector.corpus.files import Corpus

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
