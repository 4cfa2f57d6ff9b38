"""The names that a gate has in its repository, and the plain workflow under its name."""

from dataclasses import replace

from ragate.cli.init.config_text import Choice
from ragate.cli.init.gate_name import gate_name, other_gates
from ragate.cli.init.new_files import NewFile
from ragate.cli.init.survey import Survey
from ragate.cli.init.workflow_text import workflow_text

WORKFLOWS_FOLDER = ".github/workflows"
WORKFLOWS = ".github/workflows/ragate*.yml"


def named(survey: Survey, choice: Choice) -> Choice:
    """Return the choice with a name and a baseline of its own, where it is one of several gates."""
    if survey.root == survey.top and not any(other_gates(survey)):
        return choice
    gate = gate_name(survey)
    return replace(choice, gate=gate, baseline=f"baselines/{gate}.json")


def plain_workflow(survey: Survey, choice: Choice) -> NewFile:
    """Return the one workflow without the action."""
    folder = survey.root.relative_to(survey.top).as_posix()
    gate = choice.gate if any(other_gates(survey)) else ""
    text = workflow_text(choice, folder="" if folder == "." else folder, gate=gate)
    name = f"ragate-{gate}.yml" if gate else "ragate.yml"
    return NewFile(survey.top / WORKFLOWS_FOLDER / name, text)


def plain_status(survey: Survey, choice: Choice) -> str:
    """Return the check that the plain workflow is."""
    return f"gate-{choice.gate}" if any(other_gates(survey)) else "gate"
