"""``target = "my.module:thing"`` of ``[system]``: its form, and what is said where it fails."""

import json
import re
from collections.abc import Mapping
from typing import Any, ClassVar, Self

from pydantic import Field, field_validator, model_validator

from ragate.errors import ConfigError
from ragate.protocols import Resources
from ragate.systems._foreign import ForeignSettings
from ragate.systems._variables import (
    inherited_environment,
    named_environment,
    refuse_judges_key,
)
from ragate.version import MANUAL


def where_of(target: str) -> str:
    """Return the place of a target, for a message."""
    return f"[system] target = {target!r}"


def check_form(target: str, *, made: bool = False) -> None:
    """Check that a target is a dotted path.

    Args:
        made: It may name a method of what a function makes: ``my.module:build().ask``.

    Raises:
        ConfigError: says what is wrong with it, and what to write.
    """
    if wrong := _wrong_form(target.replace("().", ".", 1) if made else target):
        raise ConfigError(f"{where_of(target)}: not a dotted path: {wrong[0]}", remedy=wrong[1])


_AT_IMPORT = (
    ": what reads the command line or input, or ends the program, goes below `if __name__ == ...`"
)
# What an exception of the project's code is told beside that it is theirs, by a word of it.
_MENDED = {
    "SystemExit": _AT_IMPORT,
    "EOFError": _AT_IMPORT,
    "KeyError": ", or set the variable that it reads: in your shell or in .env",
    "ImproperlyConfigured": ": what needs Django comes below `django.setup()`",
    "AppRegistryNotReady": ": what needs Django comes below `django.setup()`",
}


def mend_there(told: str) -> str:
    """Return what to do about an exception of the project's code, as it is told."""
    more = next((more for word, more in _MENDED.items() if word in told), "")
    return f"it is code of the project: mend it there{more}"


def _wrong_form(target: str) -> tuple[str, str] | None:
    """Return what is wrong with the form of a target, and what to write; None where it is right."""
    example = 'write it as "my.module:function"'
    module, colon, path = target.partition(":")
    if "/" in module or "\\" in module or module.endswith(".py"):
        dotted = module.replace("\\", "/").removeprefix("./").removesuffix(".py").replace("/", ".")
        return (
            "a file's path stands where a module belongs",
            f'write "{dotted}:{path or "function"}"',
        )
    if not colon:
        package, _, name = target.rpartition(".")
        if target.isidentifier() or not package:
            return "no object of the module is named", f'write "{target}:function"'
        return (
            "no colon says where the module ends and the object begins",
            f'write "{package}:{name}" where {name} is what is asked',
        )
    if path.endswith(")"):
        called = path.partition("(")[0]
        return "a call is no name", f'write "{module}:{called}"; factory = true calls it once'
    parts = [*module.split("."), *path.split(".")]
    bad = next((part for part in parts if not part.isidentifier()), None)
    if bad is None:
        return None
    return (f"{bad!r} is no name in Python" if bad else "a name is missing"), example


# Keys of ``[system]`` for code in an interpreter of its own, and the variables that reach it.


class InterpreterSettings(ForeignSettings):
    """Keys of a system whose code may run in an environment of its own.

    Attributes:
        target: What is asked, as `my.module:name`.
        interpreter: The Python of your RAG's own environment and its options, such as
            `[".venv/bin/python"]`: [the code runs there](system-python.md); empty: ragate's own
            Python.
        pass_env: With `interpreter`: the variables that the code needs; a `*` stands for anything
            but a key.
        start_timeout_s: Seconds until the target is imported and set up.
    """

    later_keys: ClassVar[frozenset[str]] = frozenset({"interpreter", "pass_env", "start_timeout_s"})

    target: str = Field(min_length=1)
    interpreter: tuple[str, ...] = ()
    pass_env: tuple[str, ...] = ()
    start_timeout_s: float = Field(default=300.0, gt=0)

    @field_validator("interpreter", mode="before")
    @classmethod
    def _is_a_list(cls, value: Any) -> Any:
        if isinstance(value, str):
            raise ValueError(f"write it as a list: {json.dumps(value.split())}")  # noqa: TRY004
        return value

    @model_validator(mode="after")
    def _names_what_it_lacks(self) -> Self:
        if "pass_env" in self.model_fields_set and not self.interpreter:
            raise ValueError("pass_env needs interpreter: without it the code has ragate's own")
        return self


def worker_environment(keys: InterpreterSettings, resources: Resources) -> dict[str, str]:
    """Return the variables of a worker, and the recorder's.

    With `interpreter` what any program needs, and `pass_env`; else all but what is ragate's own.

    Raises:
        ConfigError: `pass_env` names the judge's key.
    """
    if not keys.interpreter:
        return {**inherited_environment(resources), **resources.recorder_variables}
    refuse_judges_key(keys.pass_env, resources.judge_keys)
    hidden = resources.key_names | resources.judge_keys
    named = named_environment(resources.environment, keys.pass_env, hidden)
    return {**named, **resources.recorder_variables}


def not_passed(text: str, environment: Mapping[str, str], resources: Resources) -> str:
    """Return what to do where a message names a variable that is set here and not in the worker.

    Args:
        environment: The worker's variables.
    """
    words = set(re.findall(r"[A-Z][A-Z0-9_]{3,}", text))
    names = sorted(words & resources.environment.keys() - environment.keys(), key=len)
    if not names:
        return ""
    if names[-1] in resources.judge_keys:
        return (
            f"{names[-1]} is the judge's key, which the code never gets: {MANUAL}/system-python.md"
        )
    return f"the code gets the variables that pass_env names: pass_env = [{names[-1]!r}]"
