"""The command group. A command's module is imported when the command runs, not before."""

from collections.abc import Mapping
from functools import cached_property
from importlib import import_module
from typing import Any

import click

from ragate import errors, extension
from ragate.extension import Extension
from ragate.version import __version__

# Name -> (module, one line for the list).
COMMANDS: dict[str, tuple[str, str]] = {
    "init": ("init.command", "Write a ragate.toml, a starter golden set and a workflow."),
    "demo": ("commands.demo", "Show a gate that passes, a planted break, and the gate that fails."),
    "doctor": ("doctor.command", "Say what is configured, reachable and missing, with the remedy."),
    "check": ("commands.check", "Run the RAG on the golden set and give a verdict."),
    "score": ("commands.score", "Score a file that holds answers, without a gate."),
    "gate": ("commands.gate", "Compare two files of scores that any evaluator wrote."),
    "collect": ("commands.collect", "Run the RAG and write its outputs; judge nothing."),
    "decide": ("commands.decide", "Give a verdict on stored outputs; run nothing of the RAG."),
    "compare": ("commands.compare", "Compare two stored runs or baselines."),
    "report": ("commands.report", "Show a stored run again, or one sample of it."),
    "runs": ("commands.runs", "List, prune or export the stored runs."),
    "baseline": ("commands.baseline", "Record the baseline, or show what it holds."),
    "dataset": ("dataset", "Check, grow and mend a golden set."),
    "plugin": ("plugin", "Write or check a metric, judge or system of your own."),
    "ingest": ("commands.ingest", "Bring the built-in RAG's index up to date."),
    "power": (
        "commands.power",
        "Say which drops this golden set can show, and what more would take.",
    ),
    "cache": ("commands.cache", "Show, empty, export or import what need not be paid twice."),
    "schema": ("commands.schema", "Print the JSON Schema of ragate.toml, for editors."),
    "action": ("commands.action", "Run a step of the GitHub Action without its container."),
    "db": ("commands.db", "Show or stop the embedded Postgres."),
}

# With what every command ends, and what that means; no other code leaves one.
EXIT_CODES = {
    0: (
        "passed",
        "every rule that can block was evaluated and kept; warnings do not block a merge",
    ),
    1: ("failed", "a proven regression, a floor or ceiling not met, or a must-pass question"),
    2: ("usage or configuration", "the command line, or a file that is read, is missing or wrong"),
    3: ("no decision", "something was not measured, or cannot be compared: nothing can be said"),
    130: ("interrupted", "Ctrl-C, TERM, HUP or QUIT; finished samples are kept"),
}


class OrderedGroup(click.Group):
    """Lists its commands in their own order, and says which name is nearest to a wrong one."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return list(self.commands)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        names = self.list_commands(ctx)
        if args and args[0] not in names and not args[0].startswith("-"):
            from ragate.cli.other_words import COMMANDS as OTHERS
            from ragate.settings import nearest

            told = f"; here {OTHERS[args[0]]}" if args[0] in OTHERS else nearest(args[0], names)
            raise click.UsageError(f"no command {args[0]!r}{told}{extension.lacking()}", ctx)
        return super().resolve_command(ctx, args)


class LazyGroup(OrderedGroup):
    """Knows its commands by name; loads one when it is asked for.

    Those that are loaded already come after them, and those that extensions bring come last.

    Args:
        table: Name -> (module, one line for the list of commands).
        package: Where the modules are.
        words: What calls the group, such as ``dataset``; "" for ragate itself.
    """

    def __init__(
        self,
        *args: Any,
        table: Mapping[str, tuple[str, str]] = COMMANDS,
        package: str = "ragate.cli",
        words: str = "",
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.table = table
        self.package = package
        self.words = words

    @cached_property
    def brought(self) -> dict[str, tuple[Extension, str, str]]:
        """What extensions bring, by name: whose it is, its path, its line in the list.

        Raises:
            UsageError: a command has the name of one of the group's own.
        """
        commands = {}
        for each in extension.found():
            for words, (path, says) in each.extension.commands.items():
                group, _, name = words.rpartition(" ")
                if group != self.words:
                    continue
                if name in {*self.table, *self.commands}:
                    raise errors.UsageError(
                        f"{each.told} brings the command {words!r}, which is ragate's own",
                        remedy="uninstall it, or let it be named otherwise",
                    )
                commands[name] = (each.extension, path, says)
        return commands

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return [*self.table, *self.commands, *self.brought]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.table:
            return super().get_command(ctx, cmd_name) or self._brought(cmd_name)
        module, _ = self.table[cmd_name]
        command: click.Command = import_module(f"{self.package}.{module}").command
        return command

    def format_commands(
        self,
        ctx: click.Context,  # noqa: ARG002
        formatter: click.HelpFormatter,
    ) -> None:
        lines = [(name, text) for name, (_, text) in self.table.items()]
        lines += [(name, each.get_short_help_str(100)) for name, each in self.commands.items()]
        lines += [(name, text) for name, (_, _, text) in self.brought.items()]
        with formatter.section("Commands"):
            formatter.write_dl(lines)

    def _brought(self, name: str) -> click.Command | None:
        if name not in self.brought:
            return None
        whose, path, _ = self.brought[name]
        command: click.Command = extension.loaded(whose, path)
        return command


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Exit codes: "
    + ", ".join(f"{code} {name}" for code, (name, _) in EXIT_CODES.items())
    + ".",
)
@click.version_option(__version__, "-V", "--version", prog_name="ragate")
def cli() -> None:
    """The regression gate for RAG on pull requests."""
