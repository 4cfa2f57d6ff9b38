"""What is checked: the configuration, or as much of it as can be read."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragate.cli.operations import operations, with_dotenv
from ragate.config import Config, find_config, load_config
from ragate.errors import ConfigError, RagateError
from ragate.files.foreign_files import inside, read_text
from ragate.resources.operations import Operations


@dataclass(frozen=True)
class ExaminedProject:
    """One project as the checks see it.

    Attributes:
        config: None where ragate.toml is absent or wrong.
        use: The system's name, "" where unknown.
        dataset, baseline: Known even where something else in ragate.toml is wrong. There is no
            golden set where the samples are those of files of scores.
        errors: What could not be read, by the name of the check.
    """

    root: Path
    operations: Operations
    config: Config | None = None
    use: str = ""
    dataset: Path | None = None
    baseline: Path | None = None
    errors: tuple[tuple[str, RagateError], ...] = ()


def read_subject(start: Path, path: Path | None, environment: Mapping[str, str]) -> ExaminedProject:
    """Return what can be read, with the errors of what cannot."""
    named = path or (
        Path(environment["RAGATE_CONFIG"]) if environment.get("RAGATE_CONFIG") else None
    )
    errors: list[tuple[str, RagateError]] = []
    try:
        path = find_config(start, named=named)
    except ConfigError as error:
        operations, errors = _operations(start, environment)
        return ExaminedProject(start, operations, errors=(("configuration", error), *errors))
    root = path.parent.resolve()
    operations, errors = _operations(root, environment)
    try:
        config = load_config(path)
    except RagateError as error:
        return _partly(path, root, operations, (("configuration", error), *errors))
    return ExaminedProject(
        root,
        operations,
        config=config,
        use=config.system.use,
        dataset=config.dataset if config.policy.dataset else None,
        baseline=config.baseline,
        errors=tuple(errors),
    )


def _operations(
    root: Path, environment: Mapping[str, str]
) -> tuple[Operations, list[tuple[str, RagateError]]]:
    errors: list[tuple[str, RagateError]] = []
    variables = dict(environment)
    try:
        variables = with_dotenv(root, environment)
    except ConfigError as error:
        errors.append(("environment", error))
    try:
        return operations(root, variables), errors
    except ConfigError as error:
        numbers = {"RAGATE_CONCURRENCY", "RAGATE_TIMEOUT_S"}
        readable = {key: value for key, value in variables.items() if key not in numbers}
        return operations(root, readable), [*errors, ("environment", error)]


def _partly(
    path: Path, root: Path, operations: Operations, errors: tuple[tuple[str, RagateError], ...]
) -> ExaminedProject:
    """Return the paths of a ragate.toml in which something else is wrong."""
    try:
        tables = tomllib.loads(read_text(path, error=ConfigError, max_bytes=1024 * 1024))
    except (ConfigError, ValueError, RecursionError):
        tables = {}
    policy, system = _table(tables, "policy"), _table(tables, "system")
    use = system.get("use")
    return ExaminedProject(
        root,
        operations,
        use=use if isinstance(use, str) else "",
        dataset=_path(root, policy.get("dataset")),
        baseline=_path(root, policy.get("baseline")),
        errors=errors,
    )


def _table(tables: Mapping[str, Any], name: str) -> dict[str, Any]:
    table = tables.get(name)
    return table if isinstance(table, dict) else {}


def _path(root: Path, value: object) -> Path | None:
    if not isinstance(value, str):
        return None
    try:
        return inside(root, value, where="path", error=ConfigError)
    except ConfigError:
        return None
