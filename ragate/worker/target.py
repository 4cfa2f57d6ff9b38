"""From ``my.module:thing`` to the object: code of the project, imported once."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

_BY_NAME = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
_SAMPLE = "Sample"  # the class of ragate.models, which a worker's environment need not have


class TargetError(Exception):
    """A target that cannot be asked: a mistake in ``[system]``, and none of the code.

    Attributes:
        remedy: What to do, in one sentence; "" where the message says it.
        missing: The name that an object lacks, "" if it is another mistake.
        names: What it has instead.
    """

    def __init__(
        self, message: str, remedy: str = "", *, missing: str = "", names: tuple[str, ...] = ()
    ) -> None:
        super().__init__(message)
        self.remedy = remedy
        self.missing = missing
        self.names = names


class TargetRaised(Exception):  # noqa: N818 - it tells of another error
    """Code of the project raised before the first question; `error` is what it raised."""

    def __init__(self, what: str, error: BaseException) -> None:
        super().__init__(what)
        self.error = error


class Target:
    """What a worker was started for.

    Args:
        keys: ``target`` of ``[system]``, and what else says how it is asked.
        root: The project's folder.
        environment: What the environment of this interpreter is called.
        concurrency: Samples in flight.
    """

    def __init__(
        self, keys: Mapping[str, Any], root: str, environment: str, concurrency: int = 1
    ) -> None:
        self._keys = keys
        self._root = root
        self._environment = environment
        self._concurrency = concurrency

    def _imported(self, target: str) -> Any:
        return imported(target, self._root, self._environment)

    async def open(self) -> dict[str, Any]:
        """Import it and set it up; return what there is to know of it.

        Raises:
            TargetError: it cannot be imported, or is nothing that can be asked.
            TargetRaised: its code raised.
        """
        raise NotImplementedError

    async def ask(self, asked: Mapping[str, Any]) -> Any:
        """Return what it answers to a request, in plain types."""
        raise NotImplementedError

    async def close(self) -> None:
        """Leave what was opened."""


def imported(target: str, root: str, environment: str) -> Any:
    """Return what `target` names; its form has been looked at.

    Args:
        environment: What the environment of this interpreter is called.

    Raises:
        TargetError: a module is missing, or it has no such name.
        TargetRaised: the module raised on import.
    """
    module, _, path = target.partition(":")
    return attribute(_module(module, root, environment), path)


def attribute(found: Any, path: str) -> Any:
    """Return what a dotted path leads to in an object.

    Raises:
        TargetError: it has no such name.
    """
    for name in path.split("."):
        if not hasattr(found, name):
            names = tuple(attribute for attribute in dir(found) if not attribute.startswith("_"))
            owner = getattr(found, "__name__", type(found).__name__)
            raise TargetError(f"{owner} has no {name!r}", missing=name, names=names)
        found = getattr(found, name)
    return found


def _refuse_namesake(module: str, root: str) -> None:
    """Raise where this process holds a module of the name that is not the project's.

    One process has one module of a name, and a part of the standard library may be it already.

    Raises:
        TargetError: names both files.
    """
    top = module.partition(".")[0]
    loaded = getattr(sys.modules.get(top), "__file__", None)
    folder = Path(root).resolve()
    places = (folder / f"{top}.py", folder / top / "__init__.py")
    own = next((place for place in places if place.is_file()), None)
    if loaded and own is not None and not Path(loaded).resolve().is_relative_to(folder):
        raise TargetError(
            f"the module {top!r} was imported from {loaded}, and the project's is {own}",
            "one process holds one module of a name: rename the project's",
        )


def _module(module: str, root: str, environment: str) -> Any:
    _refuse_namesake(module, root)
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        missing = error.name or ""
        if f"{module}.".startswith(f"{missing}."):
            raise TargetError(
                f"there is no module {missing!r}",
                f"modules are looked for in {root} and in {environment}",
            ) from error
        raise TargetError(
            f"{module} needs the module {missing!r}, which is not installed",
            f"install it in {environment}",
        ) from error
    except (Exception, SystemExit) as error:
        raise TargetRaised(f"importing {module} raised", error) from error


def check_bind(function: Any, *arguments: Any, takes: str, **named: Any) -> None:
    """Check that a function can be called with these arguments.

    Args:
        takes: What it has to take, for the message.

    Raises:
        TargetError: names its signature.
    """
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return  # some built-in functions have none
    try:
        signature.bind(*arguments, **named)
    except TypeError as error:
        name = getattr(function, "__name__", type(function).__name__)
        raise TargetError(
            f"{name}{signature} must take {takes}: {error}",
            "give the other parameters a default, or write a small function around it",
        ) from error


def takes(function: Any, name: str) -> bool:
    """Whether a function has a parameter of this name: ``messages``."""
    try:
        parameter = inspect.signature(function).parameters.get(name)
    except (TypeError, ValueError):
        return False
    return parameter is not None and parameter.kind in _BY_NAME


def wants_sample(function: Any) -> bool:
    """Whether the first parameter is for the whole sample: its name or annotation says so.

    Raises:
        TargetError: there is no parameter.
    """
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return False
    if not parameters:
        raise TargetError("takes no question")
    first = parameters[0]
    kind = first.annotation
    named = kind if isinstance(kind, str) else getattr(kind, "__name__", "")
    return first.name == "sample" or named.rpartition(".")[2] == _SAMPLE
