"""How to run, as the environment says it: the variables that docs/environment.md lists."""

from collections.abc import Mapping
from pathlib import Path

from ragate.errors import ConfigError
from ragate.runtime.operations import Operations
from ragate.support.foreign_files import refuse_unwritable_path

STATE = ".ragate"
RUNS_URL = "RAGATE_RUNS_URL"


def read_operations(root: Path, environment: Mapping[str, str]) -> Operations:
    """Return the operational settings that the environment gives.

    Args:
        root: Where the state folder is, unless a variable names another.

    Raises:
        ConfigError: a variable holds no number, or one that makes no sense.
    """
    state = environment.get("RAGATE_STATE_DIR", "")
    refuse_unwritable_path(Path(state))
    if state and (root / state).is_file():
        raise ConfigError(
            f"RAGATE_STATE_DIR = {state!r}: a file stands there",
            remedy="name a folder, which is made where it is not there",
        )
    return Operations(
        environment=environment,
        state=(root / state).resolve() if state else root / STATE,
        database_url=environment.get("RAGATE_DATABASE_URL", ""),
        runs_url=environment.get(RUNS_URL, "").strip(),
        offline=environment.get("RAGATE_OFFLINE", "").lower() not in {"", "0", "false"},
        concurrency=round(_number(environment, "RAGATE_CONCURRENCY", 8, least=1, most=1024)),
        timeout_s=_number(environment, "RAGATE_TIMEOUT_S", 60.0, least=0.001, most=86_400),
    )


def _number(
    environment: Mapping[str, str], name: str, default: float, *, least: float, most: float
) -> float:
    text = environment.get(name, "")
    if not text:
        return default
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if least <= value <= most:
        return value
    raise ConfigError(
        f"{name} = {text!r}: must be a number from {least:g} to {most:g}",
        remedy=f"set it so, or leave it out for {default:g}",
    )
