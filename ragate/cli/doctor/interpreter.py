"""``[system] interpreter`` and ``pass_env``: is there what they name? Nothing of it is run."""

import os
import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from ragate.cli.finding import Finding, ok, problem, warning
from ragate.config import Config
from ragate.errors import ConfigError
from ragate.systems._interpreter_settings import InterpreterSettings
from ragate.systems._processes.variables import refuse_judges_key

CHECK = "interpreter"


def interpreter(
    settings: InterpreterSettings, config: Config, environment: Mapping[str, str]
) -> Iterable[Finding]:
    """Say whether the interpreter is there."""
    if not settings.interpreter:
        return
    program = settings.interpreter[0]
    found = _there(program, config.root, environment)
    if found:
        yield ok(CHECK, f"{program} is there; it is started only when the system is asked")
    else:
        yield problem(
            CHECK,
            f"[system] interpreter: {program!r} is not there",
            "make the RAG's environment (`python -m venv .venv && .venv/bin/pip install …`), or "
            "correct the path, which starts in the folder of ragate.toml",
            exit_code=3,
        )


def passed_variables(
    check: str, names: Sequence[str], config: Config, environment: Mapping[str, str]
) -> Iterable[Finding]:
    """Say whether the variables of `pass_env` are there, and may be given to the code."""
    try:
        refuse_judges_key(names, config.policy.judge_keys)
    except ConfigError as error:
        yield problem(check, error.message, error.remedy)
    for name in names:
        if "*" not in name and not environment.get(name):
            yield warning(
                check,
                f"[system] pass_env: {name} is not set",
                "set it in your shell, in .env or in the workflow, or take it out of pass_env",
            )


def _there(program: str, root: Path, environment: Mapping[str, str]) -> bool:
    if os.sep not in program:
        return shutil.which(program, path=environment.get("PATH")) is not None
    path = root / program
    return path.is_file() and os.access(path, os.X_OK)
