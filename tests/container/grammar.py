"""What the GitHub runner reads from a step: commands in its log, and the files it hands out.

The rules are those of actions/runner: ``ActionCommand`` and ``ActionCommandManager`` for the log,
``FileCommandManager`` for the files.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

KNOWN = frozenset(
    [
        "set-output",
        "save-state",
        "set-env",
        "add-path",
        "add-mask",
        "add-matcher",
        "remove-matcher",
        "debug",
        "error",
        "warning",
        "notice",
        "group",
        "endgroup",
        "echo",
        "stop-commands",
    ]
)
# Refused by the runner unless a workflow opts in: each of them fails the step.
DISABLED = frozenset({"set-env", "add-path"})
SUMMARY_LIMIT = 1024 * 1024

# .NET ends a line at a bare carriage return as well.
_LINE_END = re.compile(r"\r\n|\r|\n")
# In the order in which the runner undoes them: "%25" last.
_DATA = (("%0D", "\r"), ("%0A", "\n"), ("%25", "%"))
_PROPERTY = (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%"))
_BRACKET = (("%3B", ";"), ("%0D", "\r"), ("%0A", "\n"), ("%5D", "]"), ("%25", "%"))
_Mapping = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Command:
    """A workflow command: ``::name key=value,…::data`` or ``##[name key=value;…]data``."""

    name: str
    properties: Mapping[str, str] = field(default_factory=dict)
    data: str = ""


class FileCommandError(ValueError):
    """A line of an output file that the runner does not understand: it fails the step."""


def parse_command(line: str, known: Iterable[str] = KNOWN) -> Command | None:
    """Return the command in a line of the log, None where the runner prints the line as it is."""
    names = {name.lower() for name in known}
    return _colons(line, names) or _brackets(line, names)


def _colons(line: str, names: set[str]) -> Command | None:
    """``::name::`` counts at the start of a line only, after white space."""
    text = line.lstrip()
    end = text.find("::", 2)
    if not text.startswith("::") or end < 0:
        return None
    return _command(text[2:end], text[end + 2 :], names, ",", (_PROPERTY, _DATA))


def _brackets(line: str, names: set[str]) -> Command | None:
    """``##[name]`` counts anywhere in a line, the first one only."""
    start = line.find("##[")
    end = line.find("]", start)
    if start < 0 or end < 0:
        return None
    return _command(line[start + 3 : end], line[end + 1 :], names, ";", (_BRACKET, _BRACKET))


def _command(
    head: str, data: str, names: set[str], separator: str, escapes: tuple[_Mapping, _Mapping]
) -> Command | None:
    name, _, rest = head.partition(" ")
    if name.lower() not in names:
        return None
    pairs = (part.split("=", 1) for part in rest.strip().split(separator))
    properties = {
        pair[0]: _undo(pair[1], escapes[0]) for pair in pairs if len(pair) == 2 and all(pair)
    }
    return Command(name.lower(), properties, _undo(data, escapes[1]))


def _undo(text: str, mapping: _Mapping) -> str:
    for escape, character in mapping:
        text = text.replace(escape, character)
    return text


@dataclass
class Log:
    """A step's log as the runner reads it: what it prints, what it obeys, what it hides."""

    lines: list[str] = field(default_factory=list)
    commands: list[Command] = field(default_factory=list)
    masks: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    def text(self) -> str:
        """Return what a reader of the log sees."""
        return self.hide("\n".join(self.lines))

    def hide(self, text: str) -> str:
        """Return `text` with every masked value replaced, the longest first."""
        for value in sorted(filter(str.strip, self.masks), key=len, reverse=True):
            text = text.replace(value, "***")
        return text


def read_log(raw: str, *, masks: Iterable[str] = ()) -> Log:
    """Return the log of a step that printed `raw`."""
    log = Log(masks=list(masks))
    stop: str | None = None
    for line in _LINE_END.split(raw):
        command = parse_command(line, KNOWN if stop is None else {*KNOWN, stop})
        if stop is not None:
            if command is not None and command.name == stop:
                stop = None
            else:
                log.lines.append(line)
        elif command is None:
            log.lines.append(line)
        elif command.name == "stop-commands":
            stop = _stop_token(command.data, log)
        else:
            _obey(command, log)
    return log


def _stop_token(token: str, log: Log) -> str | None:
    """A token must be no command's name, or else anyone could print what ends the pause."""
    if not token or token.lower() in KNOWN:
        log.errors.append(f"Invalid stop-commands token: {token!r}")
        return None
    return token.lower()


def _obey(command: Command, log: Log) -> None:
    if command.name in DISABLED:
        log.errors.append(f"The `{command.name}` command is disabled.")
    elif command.name == "add-mask":
        log.masks += [part for part in (command.data, *_LINE_END.split(command.data)) if part]
    else:
        log.commands.append(command)


def parse_pairs(text: str) -> tuple[dict[str, str], str | None]:
    """Return the pairs of an output file and, where a line is bad, what is wrong with it.

    The pairs before a bad line stand, as with the runner, which applies each as it reads it.
    """
    found: dict[str, str] = {}
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    rest = iter(lines)
    try:
        for line in rest:
            if line:
                name, value = _pair(line, rest)
                found[name] = value
    except FileCommandError as error:
        return found, str(error)
    return found, None


def _pair(line: str, rest: Iterable[str]) -> tuple[str, str]:
    equals, heredoc = line.find("="), line.find("<<")
    if equals >= 0 and (heredoc < 0 or equals < heredoc):
        name, _, value = line.partition("=")
    elif heredoc >= 0:
        name, _, delimiter = line.partition("<<")
        if not delimiter:
            raise FileCommandError(f"Invalid format '{line}'. Delimiter must not be empty")
        value = _until(delimiter, rest)
    else:
        raise FileCommandError(f"Invalid format '{line}'")
    if not name:
        raise FileCommandError(f"Invalid format '{line}'. Name must not be empty")
    return name, value


def _until(delimiter: str, rest: Iterable[str]) -> str:
    taken: list[str] = []
    for line in rest:
        if line == delimiter:
            return "\n".join(taken)
        taken.append(line)
    raise FileCommandError(f"Invalid value. Matching delimiter not found '{delimiter}'")
