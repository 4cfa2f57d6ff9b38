"""Keys of ``[system]`` for code in an interpreter of its own, and the variables that reach it."""

import json
import re
from collections.abc import Mapping
from typing import Any, ClassVar, Self

from pydantic import Field, field_validator, model_validator

from ragate.protocols import Resources
from ragate.systems._foreign import ForeignSettings
from ragate.systems._processes.variables import named_environment, refuse_judges_key


class InterpreterSettings(ForeignSettings):
    """Keys of a system whose code may run in an environment of its own.

    Attributes:
        interpreter: The Python of that environment and its options; empty: ragate's own process.
        pass_env: Names of variables that the worker gets; a ``*`` stands for anything but a key.
        start_timeout_s: Seconds until the worker has imported the target and set it up.
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
    def _belongs_to_a_worker(self) -> Self:
        alone = {"pass_env", "start_timeout_s"} & self.model_fields_set
        if alone and not self.interpreter:
            name = min(alone)
            raise ValueError(f"{name} needs interpreter: without it the code shares this process")
        return self


def worker_environment(keys: InterpreterSettings, resources: Resources) -> dict[str, str]:
    """Return the variables of a worker: what any program needs, `pass_env`, and the recorder's.

    Raises:
        ConfigError: `pass_env` names the judge's key.
    """
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
        return f"{names[-1]} is the judge's key, which the code never gets: docs/dependencies.md"
    return f"the code gets the variables that pass_env names: pass_env = [{names[-1]!r}]"
