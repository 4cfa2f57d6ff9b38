"""A plugin that is one file, wherever it lies."""

import inspect
import traceback
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from ragate.errors import PluginError


def load_file(path: Path) -> ModuleType:
    """Return the module of a file; its code runs.

    Raises:
        PluginError: there is no such file, or it cannot be imported; names the line.
    """
    if not path.is_file():
        raise PluginError(f"{path}: there is no such file", remedy="ragate plugin new writes one")
    spec = spec_from_file_location(path.stem, path)
    if spec is None or spec.loader is None:
        raise PluginError(f"{path}: no Python file", remedy="give a file that ends in .py")
    module = module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:
        frames = traceback.extract_tb(error.__traceback__)
        lines = [frame.lineno for frame in frames if Path(frame.filename) == path]
        place = f":{lines[-1]}" if lines else ""
        why = f"{type(error).__name__}: {error}"
        raise PluginError(f"{path}{place} cannot be imported: {why}") from error
    return module


def is_module_elsewhere(name: str) -> bool:
    """Return True where a name is imported from somewhere else than the current folder.

    A folder without ``__init__.py`` gives way to any module of its name.
    """
    spec = find_spec(name)
    found = spec.origin if spec is not None else None
    return found is not None and not Path(found).is_relative_to(Path.cwd())


def takes_request(module: Any, path: Path) -> bool:
    """Return True where `create` takes a request alone, as a metric's does.

    Raises:
        PluginError: it defines no `create`, or one that takes anything else.
    """
    create = getattr(module, "create", None)
    if not callable(create):
        raise PluginError(
            f"{path} defines no function 'create'", remedy="docs/plugins.md shows what one returns"
        )
    taken = [
        each
        for each in inspect.signature(create).parameters.values()
        if each.default is each.empty and each.kind is not each.VAR_KEYWORD
    ]
    if len(taken) not in (1, 2):
        raise PluginError(
            f"{path}: 'create' takes {len(taken)} arguments",
            remedy="a metric's takes (request), a system's or judge's (settings, resources)",
        )
    return len(taken) == 1
