"""Which gates the workflows of a repository run, and in which folders."""

import re
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

import yaml

_ON_RUNNER = re.compile(r"\bragate action\b(.*)", re.DOTALL)
_ELSEWHERE = frozenset({"command", "decide"})


@dataclass(frozen=True)
class WorkflowGate:
    """One step that runs a gate.

    Attributes:
        name: What the step calls it; "" where it takes the configuration's.
        folder: Where ragate.toml is, below the repository's root; "." for the root.
        config: The file's name.
        mode: ``check``, ``collect`` and so on.
    """

    name: str
    folder: str = "."
    config: str = "ragate.toml"
    mode: str = "check"

    @property
    def in_checkout(self) -> bool:
        """Whether the step has the folder: the other modes read the base from GitHub."""
        return self.mode not in _ELSEWHERE


def gates_of(text: str) -> Iterator[WorkflowGate]:
    """Yield the gates of a workflow's text; none where it is no workflow."""
    if "gate" not in text:  # as most are: reading YAML takes its time
        return
    for job in _tables(_table(_loaded(text).get("jobs")).values()):
        variables = _table(job.get("env"))
        for step in _tables(job.get("steps")):
            yield from _gate_of_step(step, variables)


def _loaded(text: str) -> Mapping[str, Any]:
    try:
        return _table(yaml.safe_load(text))
    except (yaml.YAMLError, ValueError, RecursionError):
        return {}


def _gate_of_step(step: Mapping[str, Any], variables: Mapping[str, Any]) -> Iterator[WorkflowGate]:
    given = _table(step.get("with"))
    run = _given(_text(step.get("run")))
    if isinstance(given.get("gate"), str):
        yield _gate(given)
    elif match := _ON_RUNNER.search(run):
        options = dict(_options(match[1]))
        if "gate" in options:
            yield _gate(options)
    elif "ragate check" in run:
        path = PurePosixPath(_given(_text(variables.get("RAGATE_CONFIG")) or "ragate.toml"))
        yield WorkflowGate("", str(path.parent), path.name)


def _gate(given: Mapping[str, Any]) -> WorkflowGate:
    return WorkflowGate(
        _given(_text(given.get("gate"))),
        _given(_text(given.get("working-directory")) or "."),
        _given(_text(given.get("config")) or "ragate.toml"),
        _text(given.get("mode")) or "check",
    )


def _options(line: str) -> Iterator[tuple[str, str]]:
    try:
        words = shlex.split(_bash_quotes(line), comments=True)
    except ValueError:
        return
    for word, following in zip(words, [*words[1:], ""], strict=True):
        name, is_given, value = word.removeprefix("--").partition("=")
        if word.startswith("--"):
            yield name, value if is_given else following


def _bash_quotes(line: str) -> str:
    """Return the line with words such as ``$'a\\nb'`` as other shells write them."""

    def plain(match: re.Match[str]) -> str:
        codes = match[1].encode().decode("unicode_escape").encode("latin-1", "replace")
        return shlex.quote(codes.decode("utf-8", "surrogateescape"))

    return re.sub(r"\$'((?:[^'\\]|\\.)*)'", plain, line)


def _given(text: str) -> str:
    return text.replace("${{ '${{' }}", "${{")


def _text(value: object) -> str:
    # A list of aliases of aliases would fill the memory as text.
    return value if isinstance(value, str) else ""


def _table(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _tables(value: object) -> Iterator[Mapping[str, Any]]:
    if not isinstance(value, str):
        for each in value if hasattr(value, "__iter__") else ():
            yield _table(each)
