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
    variable = environment.get("RAGATE_CONFIG")
    root, config, tables = start, None, dict[str, Any]()
    errors: list[tuple[str, RagateError]] = []
    try:
        path = find_config(start, named=path or (Path(variable) if variable else None))
        root, tables = path.parent.resolve(), _tables(path)
        config = load_config(path)
    except RagateError as error:
        errors.append(("configuration", error))
    operations, others = _operations(root, environment)
    policy, system = _table(tables, "policy"), _table(tables, "system")
    return ExaminedProject(
        root,
        operations,
        config=config,
        use=config.system.use if config is not None else str(system.get("use", "")),
        dataset=_path(root, policy.get("dataset")),
        baseline=_path(root, policy.get("baseline")),
        errors=(*errors, *others),
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


def _tables(path: Path) -> dict[str, Any]:
    """Return the tables of a ragate.toml in which something else may be wrong."""
    try:
        return tomllib.loads(read_text(path, error=ConfigError, max_bytes=1024 * 1024))
    except (ConfigError, ValueError, RecursionError):
        return {}


def _table(tables: Mapping[str, Any], name: str) -> dict[str, Any]:
    table = tables.get(name)
    return table if isinstance(table, dict) else {}


def _path(root: Path, value: object) -> Path | None:
    """Return a path below the root, None where it is none or leads out."""
    try:
        return (
            inside(root, value, where="path", error=ConfigError) if isinstance(value, str) else None
        )
    except ConfigError:
        return None
