"""``ragate init``: a first configuration, a starter golden set and a workflow."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import click

from ragate.cli.finding import plural
from ragate.cli.init.action_workflows import RELEASES, action_workflows
from ragate.cli.init.config_text import DATASET, KEY_VARIABLE, Choice
from ragate.cli.init.guess import (
    ask_what,
    chosen_lines,
    existing_choice,
    guess,
    survey_lines,
    taken_by_number,
)
from ragate.cli.init.new_files import NewFile, ignore_state, write_new
from ragate.cli.init.plan import WritePlan, make_plan
from ragate.cli.init.survey import Survey, look
from ragate.cli.init.workflow_files import (
    WORKFLOWS,
    folder_of,
    gate_name,
    is_one_of_several,
    packages,
    plain_workflow,
    runs_plainly,
)
from ragate.cli.operations import in_ci
from ragate.cli.quoting import shell_word
from ragate.cli.workflows import (
    FOLDER,
    PLACEHOLDER,
    EarlierWorkflow,
    earlier_workflows,
    named_commit,
    replace_all,
)
from ragate.errors import RagateError, UsageError
from ragate.support import git
from ragate.support.escape import plain as printable
from ragate.version import MANUAL


@click.command("init")
@click.option("--yes", is_flag=True, help="Ask nothing; take the answers that were guessed.")
@click.option(
    "--ask",
    is_flag=True,
    help="Start what was found and put one question to it; else a terminal is asked first.",
)
@click.option("--take", type=int, metavar="N", help="Gate what has this number in the list.")
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
    help="Replace workflows of this gate that were written or changed by hand, too.",
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
    take: int | None,
    action: str | None,
    plain: bool,
    replace: bool,
    shards: int | None,
) -> int:
    """Write a first ragate.toml, a starter golden set and workflows into FOLDER.

    Reads what is there, and asks what is to be gated; with --yes, or without a terminal, the
    likeliest is taken and named. It runs none of it, unless you agree that one question is put
    to it. No file of yours is overwritten.
    \f

    It writes `ragate.toml`, `evals/golden.jsonl` and the workflows of the [action](action.md). Your
    code is parsed and never imported: [Init](init.md).
    """
    _refuse_beside_plain(plain, action, shards)
    _refuse_in_ci(ask)
    survey = look(folder)
    _say(*survey_lines(survey))
    if survey.projects:
        survey = _project_of(survey, terminal=_terminal() and not yes)
    begun = (survey.root / "ragate.toml").exists()
    plain = plain or (begun and not (action or shards) and runs_plainly(survey))
    if begun:
        plan = _workflow_only(survey, existing_choice(survey.root))
    else:
        plan = make_plan(survey, _chosen(survey, yes=yes, ask=ask, take=take))
    if not plain and (action or shards or not survey.elsewhere):
        plan = with_action(survey, plan, action or "", shards=shards)
    earlier = _earlier(survey, plan)
    replaced = _to_replace(survey, earlier, yes=yes, all_of_them=replace)
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


def _chosen(survey: Survey, *, yes: bool, ask: bool, take: int | None) -> Choice:
    """Return what is gated, with what a reply of it tells where somebody agrees to ask it."""
    from ragate.cli.init.look_once import look_once

    terminal = _terminal() and not yes
    while True:
        if take is not None:
            choice = taken_by_number(survey, take)
        else:
            choice = ask_what(survey) if terminal else guess(survey, asked=ask)
        _say(*chosen_lines(survey, choice))
        try:
            return look_once(
                survey, choice, dict(os.environ), agreed=ask, terminal=terminal, say=_say
            )
        except RagateError as error:
            if not terminal:
                raise _with_others(error, survey) from error
            _say(
                "",
                "It could not be gated as it stands:",
                *(f"  {line}" for line in str(error).splitlines()),
            )
            take = None


def _with_others(error: RagateError, survey: Survey) -> RagateError:
    """Return the error of what was asked, with the way to ask something else."""
    if len(survey.systems) > 1:
        other = "`ragate init --ask --take 2` asks the next of the list instead"
        error.remedy = f"{error.remedy}; {other}" if error.remedy else other
    return error


def _workflow_only(survey: Survey, existing: Choice | None) -> WritePlan:
    """Return what is still to be done where there is a ragate.toml: it stays as it is."""
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
    folder = survey.top / FOLDER
    wanted = {file.path.name: file.content for file in plan.files if file.path.parent == folder}
    gate = plan.choice.gate or gate_name(survey)
    return earlier_workflows(survey.top, folder_of(survey) or ".", gate, wanted) if wanted else []


def _to_replace(
    survey: Survey, earlier: Sequence[EarlierWorkflow], *, yes: bool, all_of_them: bool
) -> list[EarlierWorkflow]:
    """Return which of them give way: those that init wrote and nobody changed, if so told.

    Args:
        all_of_them: Those that have a successor of their name, too.
    """
    if all_of_them:
        return [each for each in earlier if each.unchanged or each.new_text]
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


# What is left to do after the files are written.


_LOOK = "ragate doctor --ask         (one question: what is read of its reply)"
_COMMANDS = (
    "ragate baseline update      (records what later changes are compared with)",
    "ragate check                (a verdict; nothing changed yet)",
)


def commands(survey: Survey, plan: WritePlan) -> tuple[str, list[str]]:
    """Return what is to be typed next, and the words before it."""
    dataset = plan.choice.dataset
    there = plan.questions or (survey.root / dataset).exists()
    words = "Now type:" if there else f"Once {dataset} holds your questions, type:"
    return words, [*([_LOOK] if plan.choice.unasked else []), *_COMMANDS]


def next_steps(survey: Survey, plan: WritePlan) -> list[str]:
    """Return what is left to do beside `commands`, in order."""
    return [*_before_ci(survey, plan), *_in_ci(survey, plan)]


def _before_ci(survey: Survey, plan: WritePlan) -> Iterator[str]:
    if plan.questions and survey.tables and plan.choice.system != "replay":
        corpus = f" --corpus {shell_word(plan.choice.source)}" if plan.choice.source else ""
        yield (
            f"Replace the made-up questions by your own: `ragate dataset import table "
            f"{shell_word(survey.tables[0])}{corpus} --output {DATASET} --force`."
        )
    elif plan.questions:
        yield (
            f"Replace {plural(plan.questions, 'question')} in {DATASET} by 20 or more of your "
            "users; the tag starter marks what was made up from your files."
        )
    if plan.drafts:
        noun = plural(plan.drafts, "further question")
        yield f"Look at {noun} there, which no run asks: `ragate dataset accept` lets drafts count."
    if plan.choice.answers == "chat":
        yield f"Set {KEY_VARIABLE}, here and as an Actions secret of the repository."
    yield "`ragate doctor` says what is missing, with the remedy."
    yield "Commit all of it, the baseline too: without it, a check in CI ends with exit code 3."
    if plan.choice.system == "replay":
        yield (
            "Recordings are answers of one day. A change is seen only where its own code answers "
            f"the questions of {plan.choice.dataset} again and writes them to "
            f"{plan.choice.source}, in CI in a step before the check: "
            f"{MANUAL}/replay.md#write-the-file-from-python."
        )
    if plan.unpinned:
        yield f"Put the commit of a release for the zeros in {WORKFLOWS}: {RELEASES}"


def _in_ci(survey: Survey, plan: WritePlan) -> Iterator[str]:
    if survey.elsewhere and not plan.pinned:
        yield f"Put `ragate check` into your CI: {MANUAL}/self-hosted.md has recipes."
        return
    required = f'require the status check "{plan.status}" for the main branch'
    yield f"On GitHub, {required} (Settings, Rules)."
    sent = plan.choice.settings.get("headers_env", {})
    if sent:
        yield f"Set {' and '.join(sent.values())} in the job as well: requests send what it holds."
    if names := plan.choice.settings.get("pass_env"):
        yield (
            f"The code reads {', '.join(names)}. In CI the code of a change gets no key: let its "
            f"model calls be recorded, {MANUAL}/replay.md."
        )
    elif plan.choice.answers != "chat" and not sent:
        yield "No secret is needed."
    if survey.languages and plan.choice.system == "pgvector" and not survey.systems:
        yield (
            "This gates the built-in RAG. To gate your own pipeline "
            f"({', '.join(survey.languages)}), name it in [system] ({MANUAL}/system-python.md, "
            f"{MANUAL}/system-llamaindex.md, {MANUAL}/system-http.md, any language: "
            f"{MANUAL}/system-command.md), or record its outputs: {MANUAL}/replay.md."
        )


# The workflows of the action in the place of the plain one.


def with_action(survey: Survey, plan: WritePlan, commit: str, *, shards: int | None) -> WritePlan:
    """Return the plan with the action's workflows in place of the plain one.

    Args:
        commit: Of the action's release; "" for the one that workflows of this gate name already,
            else zeros, which GitHub refuses to run.
        shards: Into how many jobs the first half is split; None for one.

    Raises:
        UsageError: the commit is none.
    """
    folder = folder_of(survey)
    gate = plan.choice.gate or gate_name(survey)
    commit = commit or named_commit(survey.top, folder or ".", gate) or PLACEHOLDER
    texts = action_workflows(
        replace(plan.choice, packages=packages(survey)),
        gate=gate,
        commit=commit,
        folder=folder,
        main=git.main_branch(survey.top),
        several=is_one_of_several(survey, gate),
        shards=shards,
    )
    workflows = tuple(NewFile(survey.top / FOLDER / name, text) for name, text in texts.items())
    others = tuple(file for file in plan.files if file.path.parent != survey.top / FOLDER)
    return replace(plan, files=(*others, *workflows), status=f"ragate/{gate}", action=commit)
