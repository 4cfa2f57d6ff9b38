"""The inputs of the action, as the runner hands them over in ``INPUT_…`` variables."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Literal, TypeVar, get_args

from pydantic import SecretStr

from ragate.database.postgres import readable
from ragate.errors import DatabaseError, UsageError
from ragate.github.rest.connection import Connection, read_proxy
from ragate.guards.escape import one_line
from ragate.removed import INPUTS, gone_input
from ragate.resources.run_labels import RunLabels, read_labels
from ragate.settings import shown

Mode = Literal["check", "collect", "decide", "command", "baseline", "record"]
CommentPolicy = Literal["always", "on-change", "on-failure", "off"]
FailOn = Literal["error", "warn", "never"]

MOST_RUNS = 50
# Also part of an artifact's name and of a status: no slash, no space.
_GATE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}")
_TAG_SEPARATOR = re.compile(r"[,\s]+")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_USER = re.compile(r"://([^/?#]*)@")
_NOTHING = SecretStr("")
_Word = TypeVar("_Word", bound=str)


@dataclass(frozen=True)
class Inputs:
    """What the workflow asks for; docs/action.md has every input.

    Attributes:
        config, outputs_path: Paths below `working_directory`; "" where the default holds.
        gate: Name of this gate; "" where the configuration names it.
        github_token: Empty: nothing is published but the summary and the outputs.
        runs: Passes over the samples; None where the mode knows.
        labels: What is noted with the run.
        connection: The way to GitHub's API, and to nothing else.
    """

    mode: Mode = "check"
    config: str = ""
    database_url: SecretStr = _NOTHING
    github_token: SecretStr = _NOTHING
    comment: CommentPolicy = "on-change"
    gate: str = ""
    outputs_path: str = ""
    allow_code: bool = False
    fail_on: FailOn = "error"
    working_directory: str = "."
    tags: tuple[str, ...] = ()
    runs: int | None = None
    labels: RunLabels = field(default_factory=RunLabels)
    connection: Connection = field(default_factory=Connection)

    @property
    def secrets(self) -> list[str]:
        """Return what may be printed nowhere: the token, and addresses with passwords."""
        addresses = [each.get_secret_value() for each in (self.database_url, self.connection.proxy)]
        return [self.github_token.get_secret_value(), *addresses, *map(_password, addresses)]


def _password(address: str) -> str:
    """Return an address's password with its marks: alone, a short one would cut words apart."""
    user = _USER.search(address)
    password = user[1].partition(":")[2] if user else ""
    return f":{password}@" if password else ""


def read_inputs(environ: Mapping[str, str]) -> Inputs:
    """Return the inputs; one that is missing or empty has its default.

    Raises:
        UsageError: names the input, the value and what is allowed.
    """
    variables = _InputVariables(environ)
    variables.refuse_gone()
    return Inputs(
        mode=variables.word("mode", get_args(Mode), Inputs.mode),
        config=variables.path("config", Inputs.config),
        database_url=variables.database_url(),
        github_token=variables.token(),
        comment=variables.word("comment", get_args(CommentPolicy), Inputs.comment),
        gate=variables.gate(),
        outputs_path=variables.path("outputs-path", Inputs.outputs_path),
        allow_code=variables.word("allow-code", ("true", "false"), "false") == "true",
        fail_on=variables.word("fail-on", get_args(FailOn), Inputs.fail_on),
        working_directory=variables.path("working-directory", Inputs.working_directory),
        tags=tuple(dict.fromkeys(filter(None, _TAG_SEPARATOR.split(variables.text("tags"))))),
        runs=variables.number("runs", MOST_RUNS),
        labels=variables.labels(),
        connection=Connection(
            read_proxy(variables.text("github-proxy")), variables.text("github-ca")
        ),
    )


def variable(name: str) -> str:
    """Return the name of the variable that holds an input: a hyphen stays a hyphen."""
    return f"INPUT_{name.replace(' ', '_').upper()}"


@dataclass(frozen=True)
class _InputVariables:
    environ: Mapping[str, str]

    def text(self, name: str) -> str:
        return self.environ.get(variable(name), "").strip()

    def refuse_gone(self) -> None:
        """Refuse an input of an earlier version, and name the workflow that still sets it."""
        gone = gone_input({name: self.text(name) for name in INPUTS})
        if gone:
            workflow = self.environ.get("GITHUB_WORKFLOW_REF", "").partition("@")[0]
            where = f"{one_line(workflow)}: " if workflow else ""
            raise UsageError(f"{where}{gone}")

    def word(self, name: str, allowed: tuple[_Word, ...], default: _Word) -> _Word:
        value = self.text(name).lower()
        if not value:
            return default
        for word in allowed:
            if value == word:
                return word
        raise _wrong(name, self.text(name), f"one of {', '.join(allowed)}")

    def path(self, name: str, default: str) -> str:
        value = self.text(name)
        if not value:
            return default
        path = PurePosixPath(value)
        if path.is_absolute() or ".." in path.parts or _CONTROL.search(value):
            # The workspace has another path inside the container than outside of it.
            raise _wrong(name, value, "a path below the workspace, relative and without '..'")
        return str(path)

    def token(self) -> SecretStr:
        value = self.text("github-token")
        if not re.fullmatch(r"[!-~]{0,4096}", value):
            raise UsageError(
                "input github-token: it must be one word of plain characters (not shown here)",
                remedy="give it as ${{ secrets.NAME }}, or leave it out for the workflow's own",
            )
        return SecretStr(value)

    def database_url(self) -> SecretStr:
        value = self.text("database-url")
        try:
            return SecretStr(value and readable(value, "input database-url"))
        except DatabaseError as error:
            raise UsageError(error.message, remedy=error.remedy) from error

    def gate(self) -> str:
        value = self.text("gate")
        if value and not _GATE.fullmatch(value):
            raise _wrong("gate", value, "up to 60 letters, digits, '.', '_' and '-'")
        return value

    def labels(self) -> RunLabels:
        lines = filter(None, (line.strip() for line in self.text("meta").splitlines()))
        names = ("input meta:", "input description")
        return read_labels(list(lines), self.text("description"), names=names)

    def number(self, name: str, highest: int) -> int | None:
        value = self.text(name)
        if not value:
            return None
        if not re.fullmatch(r"[0-9]{1,9}", value) or not 1 <= int(value) <= highest:
            raise _wrong(name, value, f"a whole number from 1 to {highest}")
        return int(value)


def _wrong(name: str, value: str, allowed: str) -> UsageError:
    return UsageError(
        f"input {name} = {shown(value)}: it must be {allowed}",
        remedy=f"set it under 'with:' of the step, or leave out {name} for its default",
    )
