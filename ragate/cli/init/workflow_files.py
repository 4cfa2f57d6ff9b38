"""The names that a gate has in its repository, and the plain workflow under its name."""

from dataclasses import replace

from ragate.cli.init.config_text import Choice
from ragate.cli.init.gate_name import gate_name, other_gates
from ragate.cli.init.new_files import NewFile
from ragate.cli.init.survey import Survey
from ragate.cli.init.workflow_text import workflow_text
from ragate.cli.quoting import shell_word
from ragate.cli.workflows import FOLDER, gates_of, of_folder
from ragate.errors import UsageError

WORKFLOWS = f"{FOLDER}/ragate*.yml"


def named(survey: Survey, choice: Choice) -> Choice:
    """Return the choice with a name, and a baseline of its own where it is one of several gates."""
    gate = gate_name(survey)
    if survey.root == survey.top and not any(other_gates(survey)):
        return replace(choice, gate=gate)
    policy = dict(choice.policy)
    if survey.root != survey.top and choice.runs_code:
        policy["inputs"] = ["**"]  # a change elsewhere in the repository costs no call
    return replace(choice, gate=gate, baseline=f"baselines/{gate}.json", policy=policy)


def folder_of(survey: Survey) -> str:
    """Return where ragate.toml is, below the repository's root; "" for the root itself.

    Raises:
        UsageError: no workflow can name it.
    """
    folder = survey.root.relative_to(survey.top).as_posix()
    if not folder.isprintable():
        try:
            folder.encode()
        except UnicodeEncodeError as error:
            raise UsageError(
                f"{folder!r}: the folder's name is not UTF-8, and no workflow can name it",
                remedy="rename the folder",
            ) from error
    return "" if folder == "." else folder


def is_one_of_several(survey: Survey, gate: str) -> bool:
    """Return whether the workflows bear the gate's name: others have the names without it."""
    if not any(other_gates(survey)):
        return False
    own = of_folder(survey.top, folder_of(survey) or ".", gate)
    return not any(path.name in {"ragate.yml", "ragate-collect.yml"} for path, _ in own)


def runs_plainly(survey: Survey) -> bool:
    """Return whether this gate has a plain workflow: a second init stays with that kind."""
    own = of_folder(survey.top, folder_of(survey) or ".", "")
    return any(gate.mode == "check" and not gate.name for _, text in own for gate in gates_of(text))


def plain_workflow(survey: Survey, choice: Choice) -> NewFile:
    """Return the one workflow without the action."""
    gate = choice.gate if is_one_of_several(survey, choice.gate) else ""
    choice = replace(choice, packages=packages(survey))
    text = workflow_text(choice, folder=folder_of(survey), gate=gate)
    name = f"ragate-{gate}.yml" if gate else "ragate.yml"
    return NewFile(survey.top / FOLDER / name, text)


def plain_status(survey: Survey, choice: Choice) -> str:
    """Return the check that the plain workflow is."""
    return f"gate-{choice.gate}" if is_one_of_several(survey, choice.gate) else "gate"


def packages(survey: Survey) -> str:
    """Return what ``pip install`` is told, from the repository's root, for the RAG's packages.

    Editable, since what is copied elsewhere finds no file that lies beside its package.
    """
    for folder in dict.fromkeys((survey.root, survey.top)):
        below = folder.relative_to(survey.top).as_posix()
        for name in ("requirements.txt", "requirements/base.txt"):
            if (folder / name).is_file():
                path = name if below == "." else f"{below}/{name}"
                return f"--requirement {shell_word(path)}"
        if (folder / "pyproject.toml").is_file() or (folder / "setup.py").is_file():
            return "--editable " + ("." if below == "." else shell_word(f"./{below}"))
    return ""
