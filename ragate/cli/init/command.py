"""``ragate init``: a first configuration, a starter golden set and a workflow."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ragate.cli.workflows.quoting import shell_word
from ragate.errors import UsageError
from ragate.support.escape import plain as printable

if TYPE_CHECKING:
    from ragate.cli.init.config_text import Choice
    from ragate.cli.init.plan import WritePlan
    from ragate.cli.init.survey import Survey
    from ragate.cli.workflows.earlier import EarlierWorkflow


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
def command(*, folder: Path, yes: bool, action: str | None, plain: bool, shards: int | None) -> int:
    """Write a first ragate.toml, a starter golden set and workflows into FOLDER.

    Reads what is there, runs none of it, and asks what is to be gated; with --yes, or without a
    terminal, the likeliest is taken and named. No file of yours is overwritten.
    """
    from ragate.cli.init.asking import ask_what, chosen_lines, survey_lines
    from ragate.cli.init.guess import existing_choice, guess
    from ragate.cli.init.plan import make_plan
    from ragate.cli.init.survey import look
    from ragate.cli.init.with_action import with_action
    from ragate.cli.init.workflow_files import runs_plainly

    _refuse_beside_plain(plain, action, shards)
    survey = look(folder)
    _say(*survey_lines(survey))
    begun = (survey.root / "ragate.toml").exists()
    plain = plain or (begun and not (action or shards) and runs_plainly(survey))
    if begun:
        plan = _workflow_only(survey, existing_choice(survey.root))
    else:
        choice = guess(survey) if yes or not _terminal() else ask_what(survey)
        _say(*chosen_lines(survey, choice))
        plan = make_plan(survey, choice)
    if not plain and (action or shards or not survey.elsewhere):
        plan = with_action(survey, plan, action or "", shards=shards)
    earlier = _earlier(survey, plan)
    replaced = _to_replace(survey, earlier, yes=yes)
    _write(survey, plan, replaced)
    _name_left(survey, [each for each in earlier if each not in replaced])
    if plan.choice.settings and not (begun or yes) and _terminal():
        from ragate.cli.init.try_question import offer_question

        _say(*offer_question(survey.root))
    return _finish(survey, plan)


def _refuse_beside_plain(plain: bool, action: str | None, shards: int | None) -> None:
    if plain and (action or shards):
        other = "--action" if action else "--shards"
        raise UsageError("--plain writes no action", remedy=f"leave out --plain or {other}")


def _workflow_only(survey: Survey, existing: Choice | None) -> WritePlan:
    """Return what is still to be done where there is a ragate.toml: it stays as it is."""
    from ragate.cli.init.config_text import Choice
    from ragate.cli.init.plan import WritePlan
    from ragate.cli.init.workflow_files import plain_workflow

    choice = existing or Choice("pgvector", "")
    files = () if survey.elsewhere else (plain_workflow(survey, choice),)
    notes = ("ragate.toml: there already, left alone; `ragate doctor` says what it lacks",)
    return WritePlan(choice, files, notes=notes)


def _terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _say(*lines: str) -> None:
    for line in lines:
        click.echo(printable(line))


def _earlier(survey: Survey, plan: WritePlan) -> list[EarlierWorkflow]:
    """Return the workflows of this gate that are there and are not the ones of the plan."""
    from ragate.cli.init.gate_name import gate_name
    from ragate.cli.init.workflow_files import folder_of
    from ragate.cli.workflows.earlier import FOLDER, earlier_workflows

    folder = survey.top / FOLDER
    wanted = {file.path.name: file.content for file in plan.files if file.path.parent == folder}
    gate = plan.choice.gate or gate_name(survey)
    return earlier_workflows(survey.top, folder_of(survey) or ".", gate, wanted) if wanted else []


def _to_replace(
    survey: Survey, earlier: Sequence[EarlierWorkflow], *, yes: bool
) -> list[EarlierWorkflow]:
    """Return which of them give way: of those that init wrote and nobody changed, if so told."""
    ours = [each for each in earlier if each.unchanged]
    if ours and not yes and _terminal():
        _say("", "An earlier init wrote these workflows, and nobody changed them since:")
        _say(*(f"  {_name(survey, each.path)}" for each in ours))
        return (
            ours if click.confirm("Replace them by those of today's system", default=True) else []
        )
    return ours if yes else []


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


def _write(survey: Survey, plan: WritePlan, replaced: Sequence[EarlierWorkflow]) -> None:
    from ragate.cli.init.new_files import ignore_state, write_new
    from ragate.cli.workflows.earlier import replace_all

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
    from ragate.cli.init.next_steps import COMMANDS, next_steps

    steps = enumerate(next_steps(survey, plan), start=1)
    _say("", "Before you rely on it:", *(f"  {n}. {step}" for n, step in steps))
    here = Path.cwd().resolve()
    way = [] if survey.root == here else [f"cd {shell_word(_relative(survey.root, here))}"]
    _say("", "Now type:", *(f"  {line}" for line in [*way, *COMMANDS]))
    return 0


def _relative(folder: Path, here: Path) -> str:
    return folder.relative_to(here).as_posix() if folder.is_relative_to(here) else str(folder)


def _name(survey: Survey, path: Path) -> str:
    base = survey.root if path.is_relative_to(survey.root) else survey.top
    return path.relative_to(base).as_posix()
