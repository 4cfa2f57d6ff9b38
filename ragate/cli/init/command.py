"""``ragate init``: a first configuration, a starter golden set and a workflow."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ragate.cli.finding import plural
from ragate.errors import UsageError
from ragate.support.escape import plain as printable

if TYPE_CHECKING:
    from ragate.cli.init.config_text import Choice
    from ragate.cli.init.plan import WritePlan
    from ragate.cli.init.survey import Survey

BUILT_IN, RECORDED = "documents", "recordings"


@click.command("init")
@click.option("--yes", is_flag=True, help="Ask nothing; take the answers that were guessed.")
@click.option(
    "--action",
    metavar="COMMIT",
    help="The release of the GitHub Action that the workflows name; else zeros, to be filled in.",
)
@click.option(
    "--plain",
    is_flag=True,
    help="One workflow without the action: no status, no comment, the change's own rules.",
)
@click.argument(
    "folder",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    default=Path(),
    required=False,
)
def command(*, folder: Path, yes: bool, action: str | None, plain: bool) -> int:
    """Write a first ragate.toml, a starter golden set and workflows into FOLDER.

    Looks at what is there and asks at most three questions; none with --yes, or without a terminal.
    No file is overwritten.
    """
    from ragate.cli.init.guess import existing_choice, guess
    from ragate.cli.init.plan import make_plan, with_action
    from ragate.cli.init.survey import look

    if plain and action:
        raise UsageError("--plain writes no action", remedy="leave out --plain or --action")
    survey = look(folder)
    _say(*_survey_lines(survey))
    if (survey.root / "ragate.toml").exists():
        plan = _workflow_only(survey, existing_choice(survey.root))
    else:
        choice = guess(survey) if yes or not _terminal() else _ask(survey)
        plan = make_plan(survey, choice)
    if not plain and (action or not survey.elsewhere):
        plan = with_action(survey, plan, action or "")
    return _finish(survey, plan)


def _workflow_only(survey: Survey, existing: Choice | None) -> WritePlan:
    """Return what is still to be done where there is a ragate.toml: it stays as it is."""
    from ragate.cli.init.config_text import Choice
    from ragate.cli.init.new_files import NewFile
    from ragate.cli.init.plan import WORKFLOW, WritePlan
    from ragate.cli.init.workflow_text import workflow_text

    choice = existing or Choice("pgvector", "")
    folder = survey.root.relative_to(survey.top).as_posix()
    workflow = workflow_text(choice, folder="" if folder == "." else folder)
    files = () if survey.elsewhere else (NewFile(survey.top / WORKFLOW, workflow),)
    notes = ("ragate.toml: there already, left alone; `ragate doctor` says what it lacks",)
    return WritePlan(choice, files, notes=notes)


def _terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _say(*lines: str) -> None:
    for line in lines:
        click.echo(printable(line))


def _survey_lines(survey: Survey) -> list[str]:
    """Return what was found, in lines."""
    docs = [f"{folder.path}/ ({plural(folder.pages, 'page')})" for folder in survey.docs[:4]]
    facts = {
        "documents": docs,
        "BEIR folders": survey.beir,
        "golden sets": survey.golden[:4],
        "recorded outputs": survey.recorded,
        "libraries": survey.libraries,
    }
    lines = [f"  {name}: {', '.join(names)}" for name, names in facts.items() if names]
    return [f"Looking at {survey.root}", *(lines or ["  nothing that ragate knows"])]


def _ask(survey: Survey) -> Choice:
    """Ask the three questions, with what was guessed as the answer of an empty line."""
    from ragate.cli.init.config_text import Choice
    from ragate.cli.init.guess import guess

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


def _first_docs(survey: Survey) -> str:
    return survey.docs[0].path if survey.docs else "docs"


def _usable(survey: Survey, text: str) -> str:
    from ragate.cli.init.guess import documents_in

    folder = text.strip().rstrip("/") or text
    try:
        documents_in(survey.root, folder)
    except UsageError as error:
        raise click.BadParameter(error.message) from error
    return folder


def _finish(survey: Survey, plan: WritePlan) -> int:
    from ragate.cli.init.new_files import ignore_state, write_new
    from ragate.cli.init.next_steps import next_steps

    _say("", *plan.notes)
    for file in plan.files:
        name = _name(survey, file.path)
        if write_new(file):
            _say(f"{name}: written")
        else:
            _say(f"{name}: there already, left alone")
    if ignore_state(survey.root):
        _say(".gitignore: .ragate/ added")
    _say(
        "", "Next:", *(f"  {n}. {step}" for n, step in enumerate(next_steps(survey, plan), start=1))
    )
    return 0


def _name(survey: Survey, path: Path) -> str:
    base = survey.root if path.is_relative_to(survey.root) else survey.top
    return path.relative_to(base).as_posix()
