"""A gate in its repository: its name, the folder of its workflows, what installs its packages."""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from ragate.cli.init.config_text import Choice
from ragate.cli.init.survey import Survey
from ragate.cli.quoting import shell_word
from ragate.cli.workflows import FOLDER, WorkflowGate, gates_of, of_folder, workflow_texts
from ragate.config import CONFIG_NAME
from ragate.files.find_files import files_named
from ragate.files.foreign_files import start_of

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
    """Return where ragate.toml is, below the repository's root; "" for the root itself."""
    folder = survey.root.relative_to(survey.top).as_posix()
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


def with_packages(survey: Survey, choice: Choice) -> Choice:
    """Return the choice with what installs the RAG's packages, from the repository's root.

    A lock file comes first: its versions are those that the project runs with. Without one the
    project is installed editable, since what is copied elsewhere finds no file beside its package.
    """
    for folder in dict.fromkeys((survey.root, survey.top)):
        below = folder.relative_to(survey.top).as_posix()
        for lock in ("uv", "poetry"):
            if (folder / f"{lock}.lock").is_file():
                return replace(choice, lock=lock, packages=below)
        for name in ("requirements.txt", "requirements/base.txt"):
            if (folder / name).is_file():
                path = name if below == "." else f"{below}/{name}"
                return replace(choice, packages=f"--requirement {shell_word(path)}")
        if (folder / "pyproject.toml").is_file() or (folder / "setup.py").is_file():
            path = "." if below == "." else shell_word(f"./{below}")
            return replace(choice, packages=f"--editable {path}")
    return choice


_GATE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}")
MAX_BYTES = 1024 * 1024


def gate_name(survey: Survey) -> str:
    """Return the name in its workflows; else one that no other gate has: the folder's, if free."""
    own = survey.root.relative_to(survey.top)
    for gate in _in_workflows(survey):
        if gate.name and gate.folder == own.as_posix() and gate.in_checkout:
            return gate.name
    taken = set(other_gates(survey))
    parts = own.parts or (survey.root.name,)
    names = ["-".join(parts[-count:]) for count in range(1, len(parts) + 1)]
    names += ["rag", *(f"rag{number}" for number in range(1, 1000))]
    return next(name for name in names if _GATE.fullmatch(name) and name not in taken)


def other_gates(survey: Survey) -> Iterator[str]:
    """Yield the names that other configurations and workflows of the repository use."""
    for path in files_named(CONFIG_NAME, survey.top):
        if path.parent != survey.root:
            yield _configured(path)
    own = survey.root.relative_to(survey.top).as_posix()
    yield from (gate.name for gate in _in_workflows(survey) if gate.name and gate.folder != own)


def _in_workflows(survey: Survey) -> Iterator[WorkflowGate]:
    for _, text in workflow_texts(survey.top):
        yield from gates_of(text)


def _configured(path: Path) -> str:
    """Return the name that a configuration says, else its folder's."""
    try:
        policy = tomllib.loads(start_of(path, MAX_BYTES))["policy"]
        return str(policy["gate"] or path.parent.name)
    except (ValueError, RecursionError, KeyError, TypeError):
        return path.parent.name
