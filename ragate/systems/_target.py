"""From ``target = "my.module:thing"`` to the object: code of the project, imported once."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from traceback import extract_tb
from typing import Any

from ragate.clients.http.outage import is_outage
from ragate.errors import ConfigError, RagateError, SystemStartError
from ragate.support.escape import one_line
from ragate.support.settings import nearest

_LONGEST = 1900  # characters of an exception's words
_RAGATE = Path(__file__).resolve().parents[1]
_LIBRARIES = frozenset({"site-packages", "dist-packages"})


@contextmanager
def project_on_path(root: Path) -> Iterator[None]:
    """Let modules below `root` be imported, as ``python`` started there would; taken back after."""
    folder = str(root)
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        if folder in sys.path:
            sys.path.remove(folder)


def load_target(target: str, root: Path) -> Any:
    """Return what `target` names.

    Raises:
        ConfigError: it is no dotted path, a module is missing or raises, or it has no such name.
        SystemStartError: what the module connects to on import cannot be reached.
    """
    where = f"[system] target = {target!r}"
    module, _, path = target.partition(":")
    if wrong := _wrong_form(target):
        raise ConfigError(f"{where}: not a dotted path: {wrong[0]}", remedy=wrong[1])
    with project_on_path(root):
        target_object = _import(where, module, root)
    for name in path.split("."):
        if not hasattr(target_object, name):
            names = (attribute for attribute in dir(target_object) if not attribute.startswith("_"))
            owner = getattr(target_object, "__name__", type(target_object).__name__)
            hint = nearest(name, names)
            raise ConfigError(f"{where}: {owner} has no {name!r}{one_line(hint)}")
        target_object = getattr(target_object, name)
    return target_object


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


def _import(where: str, module: str, root: Path) -> Any:
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        missing = error.name or ""
        if f"{module}.".startswith(f"{missing}."):
            raise ConfigError(
                f"{where}: there is no module {missing!r}",
                remedy=f"modules are looked for in {root} and in the environment of ragate",
            ) from error
        raise ConfigError(
            f"{where}: {module} needs the module {missing!r}, which is not installed",
            remedy="install it in the environment of ragate",
        ) from error
    except (Exception, SystemExit) as error:
        raise setup_failed(f"{where}: importing {module} raised", error) from error


def setup_failed(what: str, error: BaseException) -> RagateError:
    """Return what an exception before the first question means for the run.

    A database that is down is no mistake in a file that somebody could correct.
    """
    kind = SystemStartError if is_outage(error) else ConfigError
    return kind(f"{what} {told(error)}")


def told(error: BaseException) -> str:
    """Return an exception of foreign code as one line, with the place in the project's code."""
    said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return f"{one_line(said, _LONGEST)}{_place(error)}"


def _place(error: BaseException) -> str:
    """Return the last line of code below the working folder that the exception went through."""
    here = Path.cwd()
    for frame in reversed(extract_tb(error.__traceback__)):
        path = Path(frame.filename)
        own = path.is_relative_to(here) and not _LIBRARIES & set(path.relative_to(here).parts)
        if own and not path.is_relative_to(_RAGATE):
            return f" ({path.relative_to(here)}:{frame.lineno}, in {frame.name})"
    return ""
