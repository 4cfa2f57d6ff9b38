"""``[system] interpreter`` and ``pass_env``: is there what they name? Nothing of it is run."""

import os
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

from ragate.cli.finding import Finding, ok, problem, warning
from ragate.config import Config
from ragate.systems._interpreter_settings import InterpreterSettings, judges_key

CHECK = "interpreter"


def interpreter(
    settings: InterpreterSettings, config: Config, environment: Mapping[str, str]
) -> Iterable[Finding]:
    """Say whether the interpreter is there, and the variables that it is to be given."""
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
    for name in settings.pass_env:
        if error := judges_key(name, config.policy.judge_keys):
            yield problem(CHECK, error.message, error.remedy)
        elif "*" not in name and not environment.get(name):
            yield warning(
                CHECK,
                f"[system] pass_env: {name} is not set",
                "set it in your shell, in .env or in the workflow, or take it out of pass_env",
            )


def _there(program: str, root: Path, environment: Mapping[str, str]) -> bool:
    if os.sep not in program:
        return shutil.which(program, path=environment.get("PATH")) is not None
    path = root / program
    return path.is_file() and os.access(path, os.X_OK)
