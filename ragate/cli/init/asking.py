"""What init says of a project and asks about it."""

import click

from ragate.cli.detect.candidate import RagCandidate
from ragate.cli.finding import plural
from ragate.cli.init.config_text import Choice
from ragate.cli.init.guess import choice_of, documents_in, guess
from ragate.cli.init.survey import Survey
from ragate.errors import UsageError
from ragate.version import MANUAL

MOST_SHOWN = 5
BUILT_IN, RECORDED = "documents", "recordings"


def survey_lines(survey: Survey) -> list[str]:
    """Return what was found, in lines."""
    docs = [f"{folder.path}/ ({plural(folder.pages, 'page')})" for folder in survey.docs[:4]]
    facts = {
        "documents": docs,
        "BEIR folders": survey.beir,
        "golden sets": survey.golden[:4],
        "questions in columns of their own": survey.tables[:4],
        "recorded outputs": survey.recorded,
        "projects": survey.projects,
    }
    lines = [f"  {name}: {', '.join(names)}" for name, names in facts.items() if names]
    if survey.systems:
        lines.append("  may be your RAG:")
        lines += [f"    {n}  {each.what}" for n, each in enumerate(_shown(survey), start=1)]
    return [f"Looking at {survey.root}", *(lines or ["  nothing that ragate knows"])]


def taken_by_number(survey: Survey, number: int) -> Choice:
    """Return what was found under a number of the list.

    Raises:
        UsageError: there is no such number.
    """
    found = _shown(survey)
    if not 1 <= number <= len(found):
        raise UsageError(
            f"--take {number}: {len(found)} were found that may be your RAG",
            remedy="`ragate init` in a terminal shows the list before it writes anything",
        )
    return choice_of(survey, found[number - 1])


def _shown(survey: Survey) -> list[RagCandidate]:
    return list(survey.systems[:MOST_SHOWN])


def ask_what(survey: Survey) -> Choice:
    """Ask what is to be gated, with what was guessed as the answer of an empty line."""
    if survey.systems and (chosen := _which(survey)) is not None:
        return choice_of(survey, chosen)
    try:
        guessed = guess(survey)
    except UsageError:
        guessed = Choice("pgvector", "docs")
    system = click.prompt(
        "Gate the built-in RAG over documents, or recordings of your own pipeline?",
        type=click.Choice((BUILT_IN, RECORDED)),
        default=RECORDED if guessed.system == "replay" else BUILT_IN,
    )
    if system == RECORDED:
        default = guessed.source if guessed.system == "replay" else "outputs/*.jsonl"
        return Choice("replay", click.prompt("Where are the recordings?", default=default))
    source = guessed.source if guessed.system == "pgvector" else _first_docs(survey)
    folder = click.prompt(
        "Which folder holds the documents?",
        default=source,
        value_proc=lambda text: _usable(survey, text),
    )
    extractive = click.confirm(
        "Answers from sentences of the documents, without a language model?", default=True
    )
    return Choice("pgvector", folder, "extractive" if extractive else "chat")


def _which(survey: Survey) -> RagCandidate | None:
    """Ask which of the systems that were found it is; None for documents or recordings."""
    found = _shown(survey)
    other = len(found) + 1
    click.echo("\nWhich of these is to be gated?")
    click.echo(f"    {other}  none of them: the built-in RAG over documents, or recorded outputs")
    guessed = guess(survey)
    likeliest = 1 if guessed.candidate is found[0] else other
    number = click.prompt("Number", type=click.IntRange(1, other), default=likeliest)
    return None if number == other else found[number - 1]


def chosen_lines(survey: Survey, choice: Choice) -> list[str]:
    """Return what is gated and what of it was guessed."""
    what = next(
        (each.what for each in survey.systems if each is choice.candidate),
        f"the outputs recorded in {choice.source}"
        if choice.system == "replay"
        else f"the built-in RAG over {choice.source}/",
    )
    if choice.system == "pgvector" and survey.languages and not survey.systems:
        code = " and ".join(survey.languages[:2])
        what += f", not your {code} code: nothing in it can be asked as it stands"
    elif choice.system == "pgvector" and survey.systems:
        what += ", and nothing of what may be your RAG"
    to_make = [
        f"  to gate {line}, let a function make it: {MANUAL}/system-python.md#set-up"
        for line in survey.out_of_reach[:MOST_SHOWN]
    ]
    notes = choice.candidate.notes if choice.candidate is not None else ()
    return ["", f"Gated is {what}", *to_make, *(f"  to look at: {line}" for line in notes)]


def _first_docs(survey: Survey) -> str:
    return survey.docs[0].path if survey.docs else "docs"


def _usable(survey: Survey, text: str) -> str:
    folder = text.strip().rstrip("/") or text
    try:
        documents_in(survey.root, folder)
    except UsageError as error:
        raise click.BadParameter(error.message) from error
    return folder
