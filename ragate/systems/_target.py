"""From ``target = "my.module:thing"`` to the object: code of the project, imported once."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from ragate.clients.http.outage import is_outage
from ragate.errors import ConfigError, RagateError, SystemStartError
from ragate.support.escape import one_line
from ragate.support.settings import nearest


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
    module, colon, path = target.partition(":")
    parts = [*module.split("."), *path.split(".")]
    if not colon or not all(part.isidentifier() for part in parts):
        raise ConfigError(f"{where}: not a dotted path", remedy='write it as "my.module:function"')
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
    """Return an exception of foreign code as one line."""
    return one_line(f"{type(error).__name__}: {error}" if str(error) else type(error).__name__)
