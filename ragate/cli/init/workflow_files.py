"""A gate in its repository: its name, the folder of its workflows, what installs its packages."""

import re
from dataclasses import replace
from itertools import chain, count

from ragate.cli.init.config_text import Choice
from ragate.cli.init.survey import Survey
from ragate.cli.quoting import shell_word
from ragate.cli.workflows import FOLDER, gates_of, of_folder, workflow_texts

WORKFLOWS = f"{FOLDER}/ragate*.yml"


def named(survey: Survey, choice: Choice) -> Choice:
    """Return the choice with a name; below the repository's root with a baseline of that name."""
    gate = gate_name(survey)
    if survey.root == survey.top:
        return replace(choice, gate=gate)
    policy = dict(choice.policy)
    if choice.runs_code:
        policy["inputs"] = ["**"]  # a change elsewhere in the repository costs no call
    return replace(choice, gate=gate, baseline=f"baselines/{gate}.json", policy=policy)


def folder_of(survey: Survey) -> str:
    """Return where ragate.toml is, below the repository's root; "" for the root itself."""
    folder = survey.root.relative_to(survey.top).as_posix()
    return "" if folder == "." else folder


def bear_the_name(survey: Survey, gate: str) -> bool:
    """Return whether the workflows bear the gate's name: others stand beside them, or may.

    Those of the root have the names without it, and so have some of an earlier version.
    """
    if survey.root == survey.top:
        return False
    own = of_folder(survey.top, folder_of(survey), gate)
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


def gate_name(survey: Survey) -> str:
    """Return the name in its workflows; else the way to its folder, or the name of the root.

    A status has one gate: a name that another gate's workflow uses gets a number.
    """
    own = survey.root.relative_to(survey.top)
    gates = [gate for _, text in workflow_texts(survey.top) for gate in gates_of(text) if gate.name]
    for gate in gates:
        if gate.folder == own.as_posix() and gate.in_checkout:
            return gate.name
    way = "-".join(own.parts) or survey.root.name
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", way)[:56].strip("-._") or "rag"
    taken = {gate.name for gate in gates}
    numbered = (f"{name}-{number}" for number in count(2))
    return next(one for one in chain([name], numbered) if one not in taken)
