"""What the tools for golden sets have in common."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ragate.errors import ConfigError, UsageError
from ragate.guards import escape

if TYPE_CHECKING:
    from ragate.config import Config
    from ragate.resources.operations import Operations

file_argument = click.argument(
    "file", required=False, type=click.Path(path_type=Path, exists=True), metavar="[FILE]"
)
corpus_option = click.option(
    "--corpus",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="Folder of the documents; default: the corpus of the configured pgvector system.",
)


@dataclass(frozen=True)
class ToolInput:
    """What a tool works on: a golden set, and the configuration where there is one."""

    path: Path
    config: Config | None
    operations: Operations | None

    def configured(self) -> tuple[Config, Operations]:
        """Return the configuration.

        Raises:
            ConfigError: there is none, and this tool cannot do without.
        """
        if self.config is None or self.operations is None:
            raise ConfigError(
                "this needs a ragate.toml, and there is none here",
                remedy="run it in the project, or name one with --config",
            )
        return self.config, self.operations


def subject(file: Path | None, config: Path | None) -> ToolInput:
    """Return FILE, or the golden set of the configuration.

    A file given by name needs no configuration; one that is there and broken is an error.
    """
    from ragate.cli.operations import open_config
    from ragate.config import find_config

    if file is not None and config is None:
        try:
            find_config(Path.cwd())
        except ConfigError:
            return ToolInput(file, None, None)
    loaded, operations = open_config(config)
    return ToolInput(file or shown_path(loaded.dataset), loaded, operations)


def shown_path(path: Path) -> Path:
    """Return the path as a person would type it here."""
    cwd = Path.cwd().resolve()
    return path.relative_to(cwd) if path.is_relative_to(cwd) else path


def one_line(text: str, limit: int = 300) -> str:
    """Return foreign text as a terminal and the log of a workflow may show it."""
    return escape.plain(escape.one_line(text, limit))


def refuse_overwriting(path: Path, *, force: bool) -> None:
    """Raise where a golden set would be replaced that nobody gave up.

    Raises:
        UsageError: it is there already, or its name is not that of JSON Lines.
    """
    refuse_replacing(path, force=force)
    if path.suffix.lower() not in {".jsonl", ".ndjson"}:
        raise UsageError(
            f"--output {path}: JSON Lines are written", remedy="give it the ending .jsonl"
        )


def refuse_replacing(path: Path, *, force: bool) -> None:
    """Raise where a file would be replaced that nobody gave up."""
    if path.is_dir() or (path.exists() and not force):
        raise UsageError(
            f"{path}: there already, nothing was written",
            remedy="choose another --output, or give --force to replace it",
        )
