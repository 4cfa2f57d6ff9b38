"""What is to be gated: a guess from what is there, or what an existing ragate.toml says."""

from pathlib import Path

import click

from ragate.cli.detect.candidate import RagCandidate
from ragate.cli.finding import plural
from ragate.cli.init.config_text import Choice, RecordedParts
from ragate.cli.init.survey import Survey
from ragate.config import CONFIG_NAME, load_config
from ragate.errors import ConfigError, RagateError, UsageError
from ragate.systems.pgvector.corpus import SUFFIXES, read_corpus
from ragate.version import MANUAL

# A function of which less is known may be any: documents are likelier then.
LIKELY = 45


def guess(survey: Survey, *, asked: bool = False) -> Choice:
    """Return what is most likely to be gated here.

    Recorded outputs come first: they are there because someone's own pipeline wrote them. Then
    comes code that answers questions, and only then the built-in system over documents.

    Args:
        asked: It will be asked, and so tells by itself whether it answers questions.

    Raises:
        UsageError: there is nothing that could be gated.
    """
    if survey.recorded:
        return Choice("replay", survey.recorded[0])
    if survey.systems and (asked or survey.systems[0].likelihood >= LIKELY):
        return choice_of(survey, survey.systems[0])
    if survey.beir:
        return Choice("pgvector", survey.beir[0])
    if survey.docs:
        return Choice("pgvector", survey.docs[0].path)
    if survey.systems:
        return choice_of(survey, survey.systems[0])
    raise UsageError(
        f"{survey.root}: no engine, route or function that answers questions was found, no folder "
        f"of documents ({', '.join(SUFFIXES)}), and no recorded outputs in outputs/*.jsonl",
        remedy="put documents into docs/, or let your pipeline write its outputs "
        f"({MANUAL}/replay.md has the format), then run `ragate init` again; a program in any "
        f"language or a service is named by hand: {MANUAL}/system-command.md, "
        f"{MANUAL}/system-http.md",
    )


def choice_of(survey: Survey, candidate: RagCandidate) -> Choice:
    """Return a system that was found as what is to be gated; its replies are not known yet."""
    if candidate.use == "replay":
        return Choice(
            "replay",
            candidate.settings["paths"][0],
            settings=candidate.settings,
            policy=candidate.policy,
            parts=RecordedParts(),
            candidate=candidate,
        )
    return Choice(
        candidate.use,
        survey.docs[0].path if survey.docs else "",
        settings=candidate.first,
        policy=candidate.policy,
        candidate=candidate,
        seeds=(*_node_packages(candidate), *survey.seeds),
    )


def _node_packages(candidate: RagCandidate) -> tuple[str, ...]:
    command = candidate.first.get("start") or candidate.first.get("command") or [""]
    return ("npm ci",) if command[0] in {"npm", "node"} else ()


def existing_choice(root: Path) -> Choice | None:
    """Return what an existing ragate.toml gates, None where there is none or it cannot be read."""
    try:
        config = load_config(root / CONFIG_NAME)
    except ConfigError:
        return None
    settings = config.system.settings
    answer, paths = settings.get("answer"), settings.get("paths")
    chat = isinstance(answer, dict) and answer.get("use") == "chat"
    source = settings.get("corpus") or (paths[0] if isinstance(paths, list) and paths else "")
    return Choice(
        config.system.use,
        source if isinstance(source, str) else "",
        "chat" if chat else "extractive",
        dataset=config.policy.dataset,
        baseline=config.policy.baseline,
        gate=config.policy.gate,
        settings=settings,
        parts=RecordedParts(),
    )


# What init says of a project and asks about it.


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
    docs = survey.docs[0].path if survey.docs else "docs"
    source = guessed.source if guessed.system == "pgvector" else docs
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


def _usable(survey: Survey, text: str) -> str:
    folder = text.strip().rstrip("/") or text
    try:
        read_corpus(survey.root, folder)
    except RagateError as error:
        raise click.BadParameter(error.message) from error
    return folder
