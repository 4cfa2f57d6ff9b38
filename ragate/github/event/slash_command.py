"""The grammar of ``/ragate …`` comments: the whole first line, and nothing else, is a command."""

import re
from dataclasses import dataclass

from ragate.errors import UsageError
from ragate.extension import CommentCommand, extensions

HELP = "help"
# What follows a verb; extensions bring more.
_CORE = {
    "accept": ' SHA METRIC… "reason"',
    "update-baseline": " SHA",
    "rerun": " SHA",
    HELP: "",
}

_START = "/ragate"
_MOST_LINE = 1000
_MOST_REASON = 300
_MOST_NAMES = 20
_SHA = re.compile(r"[0-9a-f]{7,40}")
_METRIC = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.:@-]{0,79}")
_GATE = re.compile(r"gate=([A-Za-z0-9][A-Za-z0-9._-]{0,59})")
_REASON = re.compile(r'"([^"]*)"$')
# Keyboards of phones write these for straight quotes.
_QUOTES = str.maketrans({"“": '"', "”": '"', "„": '"'})


def brought() -> dict[str, CommentCommand]:
    """Return what extensions let a comment ask for, by the verb."""
    return {
        verb: command for each in extensions() for verb, command in each.comment_commands.items()
    }


def usage_lines() -> list[str]:
    """Return every command as it is written."""
    more = {
        verb: ' SHA ID… "reason"' if command.named else " SHA"
        for verb, command in brought().items()
    }
    return [f"{_START} {verb}{rest}" for verb, rest in {**more, **_CORE}.items()]


@dataclass(frozen=True)
class Command:
    """One command.

    Attributes:
        sha: The commit it is for, at least seven digits; "" for help.
        metrics: Of ``accept``.
        ids: The samples that a command of an extension names.
        reason: Of these two.
        gate: The gate it is for; "" for whichever gate reads it.
    """

    verb: str
    sha: str = ""
    metrics: tuple[str, ...] = ()
    reason: str = ""
    gate: str = ""
    ids: tuple[str, ...] = ()


def parse_command(body: str) -> Command | None:
    """Return the command of a comment; None where the comment is none.

    A command starts at the very first character of the comment, so that quoting one, or writing
    about one further down, does nothing.

    Raises:
        UsageError: it is meant as a command and says something that no command says.
    """
    line = body.split("\n", 1)[0].rstrip("\r \t")
    if line != _START and not line.startswith(_START + " "):
        return None
    if len(line) > _MOST_LINE or not line.isprintable():
        raise _wrong("the line is too long, or holds a character that does not print")
    word, _, arguments = line[len(_START) :].translate(_QUOTES).strip().partition(" ")
    if word not in {*_CORE, *brought()}:
        raise _wrong(f"no command {word!r}" if word else "a command is missing")
    return _read(word, arguments.strip())


def _read(verb: str, arguments: str) -> Command:
    reason = ""
    named = verb in (known := brought()) and known[verb].named
    if named or verb == "accept":
        arguments, reason = _split_reason(verb, arguments)
    words = arguments.split()
    gates = [match[1] for word in words if (match := _GATE.fullmatch(word))]
    words = [word for word in words if not _GATE.fullmatch(word)]
    if len(gates) > 1:
        raise _wrong("two gates are named")
    gate = gates[0] if gates else ""
    if verb == HELP:
        _refuse_rest(verb, words)
        return Command(verb, gate=gate)
    sha, names = _sha(verb, words), tuple(dict.fromkeys(words[1:]))
    if verb == "accept":
        _check_metrics(names)
        return Command(verb, sha, names, reason, gate)
    if named:
        # As the comment shows them, in backticks, they can be pasted too.
        ids = tuple(dict.fromkeys(name.strip("`") or name for name in names))
        _check_number(verb, ids, "samples")
        return Command(verb, sha, reason=reason, gate=gate, ids=ids)
    _refuse_rest(verb, words[1:])
    return Command(verb, sha, gate=gate)


def _split_reason(verb: str, arguments: str) -> tuple[str, str]:
    quoted = _REASON.search(arguments)
    reason = " ".join(quoted[1].split()) if quoted else ""
    if quoted is None or not 3 <= len(reason) <= _MOST_REASON:
        raise _wrong(f'{verb} ends with a "reason" of 3 to {_MOST_REASON} characters, in quotes')
    if reason.casefold() == "reason":
        raise _wrong(f'"{reason}" stands for yours: write why in its place')
    return arguments[: quoted.start()], reason


def _sha(verb: str, words: list[str]) -> str:
    if not words or not _SHA.fullmatch(words[0]):
        raise _wrong(f"{verb} needs the commit it is for: 7 to 40 digits of its sha, in lower case")
    return words[0]


def _check_metrics(metrics: tuple[str, ...]) -> None:
    _check_number("accept", metrics, "metrics")
    for metric in metrics:
        if not _METRIC.fullmatch(metric):
            raise _wrong(f"{metric!r} is no name of a metric")


def _check_number(verb: str, names: tuple[str, ...], kind: str) -> None:
    if not 1 <= len(names) <= _MOST_NAMES:
        raise _wrong(f"{verb} names 1 to {_MOST_NAMES} {kind}")


def _refuse_rest(verb: str, words: list[str]) -> None:
    if words:
        raise _wrong(f"{verb} takes nothing more: {' '.join(words)[:80]!r}")


def _wrong(problem: str) -> UsageError:
    return UsageError(f"/ragate: {problem}", remedy="\n".join(usage_lines()))
