"""docs/commands.md: every command with its options, the variables and the exit codes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import click

from ragate.cli.group import EXIT_CODES, cli
from ragate.cli.operations import VARIABLES
from ragate.extension import extensions
from tools.reference import cell, parts

# Of every command, and told once at the top of the page.
SHARED = {"--config", "--help"}


@dataclass(frozen=True)
class Row:
    """An option: how it is written, what it takes, and its meaning with its default."""

    name: str
    takes: str
    meaning: str


@dataclass(frozen=True)
class Section:
    """A command: how it is called, its help, its options, and what only the page says."""

    name: str
    usage: str
    about: str
    options: tuple[Row, ...]
    more: str


def context() -> dict[str, Any]:
    """Return what the template gets."""
    return {
        "commands": [section(name, command) for name, command in leaves(cli)],
        "variables": {**VARIABLES, **brought_variables()},
        "exit_codes": EXIT_CODES,
    }


def brought_variables() -> dict[str, str]:
    """Return the variables that extensions read, with what each sets."""
    return {name: says for each in extensions() for name, says in each.variables.items()}


def leaves(group: click.Group, path: str = "") -> Iterator[tuple[str, click.Command]]:
    """Yield every command that is no group, by the words that call it."""
    context = click.Context(group)
    for word in group.list_commands(context):
        command = group.get_command(context, word)
        name = f"{path} {word}".strip()
        if isinstance(command, click.Group):
            yield from leaves(command, name)
        elif command is not None and not command.hidden:
            yield name, command


def section(name: str, command: click.Command) -> Section:
    """Return what the page says of one command."""
    context = click.Context(command)
    words = [word for word in command.collect_usage_pieces(context) if word != "[OPTIONS]"]
    usage = " ".join(["ragate", name, *words]) if words else ""
    about, more = parts(command.help)
    options = [option for option in command.params if isinstance(option, click.Option)]
    rows = [row(name, option) for option in options if not option.hidden]
    return Section(name, usage, about, tuple(row for row in rows if row is not None), more)


def row(command: str, option: click.Option) -> Row | None:
    """Return an option's row, None for one of all commands; one without a help is refused."""
    names = [*option.opts, *option.secondary_opts]
    if SHARED & set(names):
        return None
    if not option.help:
        raise ValueError(f"ragate {command}: {names[0]} has no help")
    default = option.to_info_dict()["default"]
    shown = not option.is_flag and default not in (None, "", ()) and "default" not in option.help
    meaning = option.help.rstrip(".") + (f" (`{default}`)" if shown else "")
    takes = "" if option.is_flag else value_of(option)
    return Row(", ".join(f"`{name}`" for name in names), cell(takes), cell(meaning))


def value_of(option: click.Option) -> str:
    """Return what an option takes, in plain words."""
    kind = option.type
    if option.metavar:
        return f"`{option.metavar}`"
    if isinstance(kind, click.Choice):
        return ", ".join(f"`{choice}`" for choice in kind.choices)
    if isinstance(kind, click.IntRange | click.FloatRange):
        least, most = kind.min, kind.max
        return f"{least:g} or more" if most is None else f"{least:g} to {most:g}"
    if isinstance(kind, click.Path):
        return "a file" if kind.file_okay else "a folder"
    names = {"integer": "a whole number", "datetime": "a date, `2026-11-21`"}
    return names.get(kind.name, "a text")
