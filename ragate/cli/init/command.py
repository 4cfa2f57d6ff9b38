"""``ragate init``: a first configuration, a starter golden set and a workflow."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

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
from ragate.cli.init.look_once import look_once, say
from ragate.cli.init.new_files import ignore_state, write_new
from ragate.cli.init.next_steps import commands, next_steps
from ragate.cli.init.plan import WritePlan, make_plan, with_workflows
from ragate.cli.init.survey import Survey, look
from ragate.cli.init.upgrade import bring_up
from ragate.cli.init.workflow_files import folder_of, gate_name, runs_plainly
from ragate.cli.operations import in_ci
from ragate.cli.quoting import shell_word
from ragate.cli.workflows import FOLDER, EarlierWorkflow, earlier_workflows, replace_all
from ragate.config import CONFIG_NAME
from ragate.errors import UsageError


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
    help="Also replace what of workflows and ragate.toml was written by hand.",
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
    if plain and (action or shards):
        other = "--action" if action else "--shards"
        raise UsageError("--plain writes no action", remedy=f"leave out --plain or {other}")
    if ask and in_ci():
        raise UsageError(
            "--ask: init starts nothing of a checkout in CI (the variable CI is set)",
            remedy="run it on your own machine, and commit what it writes",
        )
    yes = yes or replace
    terminal = not yes and sys.stdin.isatty() and sys.stdout.isatty()
    survey = look(folder)
    say(*survey_lines(survey))
    if survey.projects:
        survey = _project_of(survey, terminal=terminal)
    begun = (survey.root / CONFIG_NAME).exists()
    if begun:
        say(*bring_up(survey.root / CONFIG_NAME, write=yes, everything=replace))
        note = "ragate.toml: there already; `ragate doctor` says what it lacks"
        plan = WritePlan(existing_choice(survey.root), notes=(note,))
    else:
        kind, at = _answered(survey, have or "", at, terminal=terminal)
        choice = choice_of(survey, kind, at, start=start, headers=headers)
        say("", f"Gated is {choice.what}")
        choice = look_once(survey, choice, agreed=ask, terminal=terminal, passed=passed)
        plan = make_plan(survey, choice)
    plain = plain or (begun and not (action or shards) and runs_plainly(survey))
    plan = with_workflows(survey, plan, plain=plain, commit=action or "", shards=shards)

    earlier = _earlier(survey, plan)
    replaced = [each for each in earlier if (yes and each.unchanged) or (replace and each.new_text)]
    _write(survey, plan, replaced)
    again = ["--plain"] if plain else ["--action", action] if action else []
    again += ["--shards", str(shards)] if shards else []
    again += [] if folder == Path() else [str(folder)]
    say(*_left_lines(survey, [each for each in earlier if each not in replaced], again))
    say(*_last_lines(survey, plan))
    return 0


def _project_of(survey: Survey, *, terminal: bool) -> Survey:
    """Return the survey of the project that is to be gated, in a repository of several."""
    chosen, others = survey.projects[0], survey.projects[1:]
    if others and terminal:
        chosen = click.prompt("Which project?", type=click.Choice(survey.projects), default=chosen)
    elif others:
        say(f"Taken is {chosen}; for another: `ragate init {shell_word(others[0])}`")
    inner = look(survey.root / chosen)
    say("", *survey_lines(inner))
    return inner


def _answered(survey: Survey, kind: str, at: str, *, terminal: bool) -> tuple[str, str]:
    """Return what is gated and where, as the command line says, a person answers, or likeliest."""
    if kind:
        return kind, at
    if not terminal:
        return likeliest(survey), at
    kind = ask_kind(survey)
    if not at:
        guessed = place_of(survey, kind)
        at = click.prompt(ASKED_FOR[kind], default=guessed, show_default=bool(guessed))
    return kind, at


def _earlier(survey: Survey, plan: WritePlan) -> list[EarlierWorkflow]:
    """Return the workflows of this gate that are there and are not the ones of the plan."""
    folder = survey.top / FOLDER
    wanted = {file.path.name: file.content for file in plan.files if file.path.parent == folder}
    gate = plan.choice.gate or gate_name(survey)
    return earlier_workflows(survey.top, folder_of(survey) or ".", gate, wanted) if wanted else []


def _left_lines(
    survey: Survey, left: Sequence[EarlierWorkflow], arguments: Sequence[str]
) -> Iterator[str]:
    """Yield which workflows of this gate stay beside or in place of the new ones, and what to do.

    Args:
        arguments: What was typed beside `--yes`.
    """
    for each in left:
        kind = "not what would be written now" if each.new_text else "of another kind of system"
        how = (
            "`ragate init --yes` replaces it"
            if each.unchanged
            else "written or changed by hand, left alone: see whether you still want it"
        )
        yield f"{_name(survey, each.path)}: runs this gate too, {kind}; {how}"
    if any(each.new_text and not each.unchanged for each in left):
        yield "Today's in their place (what was changed there by hand stays in git alone):"
        yield f"  {' '.join(['ragate init --yes --replace', *map(shell_word, arguments)])}"


def _write(survey: Survey, plan: WritePlan, replaced: Sequence[EarlierWorkflow]) -> None:
    say("", *plan.notes)
    replace_all(replaced)
    for each in replaced:
        what = "replaced" if each.new_text else "removed: today's system needs none such"
        say(f"{_name(survey, each.path)}: {what}")
    for file in plan.files:
        if file.path not in {each.path for each in replaced}:
            done = "written" if write_new(file) else "there already, left alone"
            say(f"{_name(survey, file.path)}: {done}")
    if ignore_state(survey.root):
        say(".gitignore: .ragate/ added")


def _last_lines(survey: Survey, plan: WritePlan) -> Iterator[str]:
    """Yield what is left to do, and what to type next."""
    yield from ("", "Before you rely on it:")
    yield from (f"  {n}. {step}" for n, step in enumerate(next_steps(survey, plan), start=1))
    words, lines = commands(survey, plan)
    yield from ("", words)
    here, root = Path.cwd().resolve(), survey.root
    if root != here:
        way = root.relative_to(here).as_posix() if root.is_relative_to(here) else str(root)
        yield f"  cd {shell_word(way)}"
    yield from (f"  {line}" for line in lines)


def _name(survey: Survey, path: Path) -> str:
    base = survey.root if path.is_relative_to(survey.root) else survey.top
    return path.relative_to(base).as_posix()
