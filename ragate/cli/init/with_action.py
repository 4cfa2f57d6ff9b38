"""The workflows of the action in the place of the plain one."""

from dataclasses import replace

from ragate.cli.init.action_workflows import action_workflows
from ragate.cli.init.gate_name import gate_name
from ragate.cli.init.new_files import NewFile
from ragate.cli.init.plan import WritePlan
from ragate.cli.init.survey import Survey
from ragate.cli.init.workflow_files import folder_of, is_one_of_several, packages
from ragate.cli.workflows import FOLDER, PLACEHOLDER, named_commit
from ragate.support import git


def with_action(
    survey: Survey, plan: WritePlan, commit: str, *, shards: int | None = None
) -> WritePlan:
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
