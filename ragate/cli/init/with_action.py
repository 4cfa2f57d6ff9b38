"""The workflows of the action in the place of the plain one."""

import shlex
from dataclasses import replace

from ragate.cli.init.action_workflows import PLACEHOLDER, action_workflows
from ragate.cli.init.gate_name import gate_name, other_gates
from ragate.cli.init.new_files import NewFile
from ragate.cli.init.plan import WritePlan
from ragate.cli.init.survey import Survey
from ragate.cli.init.workflow_files import WORKFLOWS_FOLDER
from ragate.support import git


def with_action(survey: Survey, plan: WritePlan, commit: str) -> WritePlan:
    """Return the plan with the action's workflows in place of the plain one.

    Args:
        commit: Of the action's release; "" for zeros, which GitHub refuses to run.

    Raises:
        UsageError: the commit is none.
    """
    commit = commit or PLACEHOLDER
    folder = survey.root.relative_to(survey.top).as_posix()
    gate = plan.choice.gate or gate_name(survey)
    texts = action_workflows(
        replace(plan.choice, packages=packages(survey)),
        gate=gate,
        commit=commit,
        folder="" if folder == "." else folder,
        main=git.main_branch(survey.top),
        several=any(other_gates(survey)),
    )
    workflows = tuple(
        NewFile(survey.top / WORKFLOWS_FOLDER / name, text) for name, text in texts.items()
    )
    others = tuple(file for file in plan.files if file.path.parent != survey.top / WORKFLOWS_FOLDER)
    return replace(plan, files=(*others, *workflows), status=f"ragate/{gate}", action=commit)


def packages(survey: Survey) -> str:
    """Return what ``pip install`` is told, from the repository's root, for the RAG's packages."""
    for folder in dict.fromkeys((survey.root, survey.top)):
        below = folder.relative_to(survey.top).as_posix()
        for name in ("requirements.txt", "requirements/base.txt"):
            if (folder / name).is_file():
                path = name if below == "." else f"{below}/{name}"
                return f"--requirement {shlex.quote(path)}"
        if (folder / "pyproject.toml").is_file() or (folder / "setup.py").is_file():
            return "." if below == "." else shlex.quote(f"./{below}")
    return ""
