"""``ragate init``: a first configuration, a starter golden set and a workflow."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click

from ragate.cli.init.config_text import Choice
from ragate.cli.init.kinds import (
    ASKED_FOR,
    KINDS,
    ask_kind,
    choice_of,
    existing_choice,
    likeliest,
    place_of,
    survey_lines,
)
from ragate.cli.init.new_files import ignore_state, write_new
from ragate.cli.init.next_steps import commands, next_steps
from ragate.cli.init.plan import WritePlan, make_plan, with_action
from ragate.cli.init.survey import Survey, look
from ragate.cli.init.upgrade import bring_up
from ragate.cli.init.workflow_files import folder_of, gate_name, plain_workflow, runs_plainly
from ragate.cli.operations import in_ci
from ragate.cli.quoting import shell_word
from ragate.cli.workflows import FOLDER, EarlierWorkflow, earlier_workflows, replace_all
from ragate.errors import RagateError, UsageError
from ragate.guards.escape import plain as printable


@click.command("init")
@click.option("--yes", is_flag=True, help="Ask nothing; take the answers that were guessed.")
@click.option(
    "--ask",
    is_flag=True,
    help="Start what was found and put one question to it; else a terminal is asked first.",
)
@click.option("--have", type=click.Choice(list(KINDS)), help="What you have; else it is asked.")
@click.option(
    "--at",
    default="",
    metavar="WHERE",
    help="Where it is: a file, an address, module:name, a command, a folder.",
)
@click.option("--start", default="", metavar="COMMAND", help="What starts the service.")
@click.option(
    "--pass-env",
    "passed",
    multiple=True,
    metavar="NAME",
    help="A variable with a key that what is started may have.",
)
@click.option(
    "--header",
    "headers",
    multiple=True,
    metavar="NAME=VARIABLE",
    help="A header that the service wants, and the variable with its whole value.",
)
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
@click.option(
    "--replace",
    is_flag=True,
    help="Also replace what of workflows and ragate.toml was written by hand or is unknown.",
)
@click.option(
    "--shards",
    type=click.IntRange(2, 256),
    help="Split the collecting job into so many, side by side.",
)
@click.argument(
    "folder",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    default=Path(),
    required=False,
)
def command(
    *,
    folder: Path,
    yes: bool,
    ask: bool,
    have: str | None,
    at: str,
    start: str,
    passed: tuple[str, ...],
    headers: tuple[str, ...],
    action: str | None,
    plain: bool,
    replace: bool,
    shards: int | None,
) -> int:
    """Write a first ragate.toml, a starter golden set and workflows into FOLDER.

    Asks what you have; with --yes, or without a terminal, the likeliest is taken and named. For
    code it writes ragate_rag.py, which calls it. It runs nothing, unless you agree that one
    question is put to it. No file of yours is overwritten; of an earlier version, --yes brings
    workflows that nobody changed and keys of ragate.toml to this one.
    \f

    It writes `ragate.toml`, `evals/golden.jsonl` and the workflows of the [action](action.md):
    [Init](init.md).
    """
    _refuse_beside_plain(plain, action, shards)
    _refuse_in_ci(ask)
    survey = look(folder)
    _say(*survey_lines(survey))
    if survey.projects:
        survey = _project_of(survey, terminal=_terminal() and not yes)
    begun = (survey.root / "ragate.toml").exists()
    if begun:
        _say(*bring_up(survey.root / "ragate.toml", write=yes, everything=replace))
        plan = _workflow_only(survey, existing_choice(survey.root))
    else:
        asked = _Answers(have or "", at, start, passed, headers)
        plan = make_plan(survey, _chosen(survey, asked, yes=yes, ask=ask))
    plain = plain or (begun and not (action or shards) and runs_plainly(survey))
    if not plain and (action or shards or not survey.elsewhere):
        plan = with_action(survey, plan, action or "", shards=shards)
    earlier = _earlier(survey, plan)
    replaced = [each for each in earlier if _gives_way(each, yes=yes, all_of_them=replace)]
    _write(survey, plan, replaced)
    left = [each for each in earlier if each not in replaced]
    _name_left(survey, left)
    again = ["--plain"] if plain else ["--action", action] if action else []
    again += ["--shards", str(shards)] if shards else []
    _say(*_way_to_todays(left, [*again, *([] if folder == Path() else [str(folder)])]))
    return _finish(survey, plan)


def _refuse_beside_plain(plain: bool, action: str | None, shards: int | None) -> None:
    if plain and (action or shards):
        other = "--action" if action else "--shards"
        raise UsageError("--plain writes no action", remedy=f"leave out --plain or {other}")


def _refuse_in_ci(ask: bool) -> None:
    if ask and in_ci():
        raise UsageError(
            "--ask: init starts nothing of a checkout in CI (the variable CI is set)",
            remedy="run it on your own machine, and commit what it writes",
        )


def _project_of(survey: Survey, *, terminal: bool) -> Survey:
    """Return the survey of the project that is to be gated, in a repository of several."""
    chosen, others = survey.projects[0], survey.projects[1:]
    if others and terminal:
        chosen = click.prompt("Which project?", type=click.Choice(survey.projects), default=chosen)
    elif others:
        _say(f"Taken is {chosen}; for another: `ragate init {shell_word(others[0])}`")
    inner = look(survey.root / chosen)
    _say("", *survey_lines(inner))
    return inner


@dataclass(frozen=True)
class _Answers:
    """What the command line says of the one question."""

    have: str
    at: str
    start: str
    passed: tuple[str, ...]
    headers: tuple[str, ...]


def _chosen(survey: Survey, answers: _Answers, *, yes: bool, ask: bool) -> Choice:
    """Return what is gated, with what a reply of it tells where somebody agrees to ask it."""
    from ragate.cli.init.look_once import look_once

    terminal = _terminal() and not yes
    while True:
        choice = _answered(survey, answers, terminal=terminal)
        _say("", f"Gated is {choice.what or _built_in(choice)}")
        try:
            return look_once(
                survey,
                choice,
                dict(os.environ),
                agreed=ask,
                terminal=terminal,
                passed=answers.passed,
                say=_say,
            )
        except RagateError as error:
            if not terminal:
                raise
            told = (f"  {line}" for line in str(error).splitlines())
            _say("", "It could not be gated as it stands:", *told)
            answers = replace(answers, have="", at="")


def _answered(survey: Survey, answers: _Answers, *, terminal: bool) -> Choice:
    """Return what is gated, as the command line says, as a person answers, or the likeliest."""
    kind, at = answers.have, answers.at
    if not kind:
        kind = ask_kind(survey) if terminal else likeliest(survey)
        if terminal and not at:
            guessed = place_of(survey, kind)
            at = click.prompt(ASKED_FOR[kind], default=guessed, show_default=bool(guessed))
    return choice_of(survey, kind, at, start=answers.start, headers=answers.headers)


def _built_in(choice: Choice) -> str:
    return f"the built-in RAG over {choice.source}/, and no code of yours"


def _workflow_only(survey: Survey, existing: Choice | None) -> WritePlan:
    """Return what is still to be done where there is a ragate.toml: it stays as it is."""
    choice = existing or Choice("pgvector", "")
    files = () if survey.elsewhere else (plain_workflow(survey, choice),)
    notes = ("ragate.toml: there already; `ragate doctor` says what it lacks",)
    return WritePlan(choice, files, notes=notes)


def _terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _say(*lines: str) -> None:
    for line in lines:
        click.echo(printable(line))


def _earlier(survey: Survey, plan: WritePlan) -> list[EarlierWorkflow]:
    """Return the workflows of this gate that are there and are not the ones of the plan."""
    folder = survey.top / FOLDER
    wanted = {file.path.name: file.content for file in plan.files if file.path.parent == folder}
    gate = plan.choice.gate or gate_name(survey)
    return earlier_workflows(survey.top, folder_of(survey) or ".", gate, wanted) if wanted else []


def _gives_way(earlier: EarlierWorkflow, *, yes: bool, all_of_them: bool) -> bool:
    """Whether it is replaced: one that init wrote and nobody changed, if so told.

    Args:
        all_of_them: One that has a successor of its name, too.
    """
    return (earlier.unchanged and (yes or all_of_them)) or bool(all_of_them and earlier.new_text)


def _name_left(survey: Survey, left: Sequence[EarlierWorkflow]) -> None:
    """Say which workflows of this gate stay beside the new ones, or in their place."""
    for each in left:
        kind = "not what would be written now" if each.new_text else "of another kind of system"
        how = (
            "`ragate init --yes` replaces it"
            if each.unchanged
            else "written or changed by hand, left alone: see whether you still want it"
        )
        _say(f"{_name(survey, each.path)}: runs this gate too, {kind}; {how}")


def _way_to_todays(left: Sequence[EarlierWorkflow], arguments: Sequence[str]) -> Iterator[str]:
    """Yield the command that puts today's workflows in place of those that were left alone."""
    if any(each.new_text and not each.unchanged for each in left):
        yield "Today's in their place (what was changed there by hand stays in git alone):"
        yield f"  {' '.join(['ragate init --yes --replace', *map(shell_word, arguments)])}"


def _write(survey: Survey, plan: WritePlan, replaced: Sequence[EarlierWorkflow]) -> None:
    _say("", *plan.notes)
    replace_all(replaced)
    for each in replaced:
        what = "replaced" if each.new_text else "removed: today's system needs none such"
        _say(f"{_name(survey, each.path)}: {what}")
    done = {each.path for each in replaced}
    for file in plan.files:
        if file.path in done:
            continue
        name = _name(survey, file.path)
        if write_new(file):
            _say(f"{name}: written")
        else:
            _say(f"{name}: there already, left alone")
    if ignore_state(survey.root):
        _say(".gitignore: .ragate/ added")


def _finish(survey: Survey, plan: WritePlan) -> int:
    steps = enumerate(next_steps(survey, plan), start=1)
    _say("", "Before you rely on it:", *(f"  {n}. {step}" for n, step in steps))
    here = Path.cwd().resolve()
    way = [] if survey.root == here else [f"cd {shell_word(_relative(survey.root, here))}"]
    words, lines = commands(survey, plan)
    _say("", words, *(f"  {line}" for line in [*way, *lines]))
    return 0


def _relative(folder: Path, here: Path) -> str:
    return folder.relative_to(here).as_posix() if folder.is_relative_to(here) else str(folder)


def _name(survey: Survey, path: Path) -> str:
    base = survey.root if path.is_relative_to(survey.root) else survey.top
    return path.relative_to(base).as_posix()
