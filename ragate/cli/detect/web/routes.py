"""Routes of FastAPI, Starlette and Flask that take a question."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from ragate.cli.detect.python_files import (
    Function,
    PythonFile,
    called,
    dotted,
    required,
    text_of,
)
from ragate.cli.detect.shapes import UNKNOWN, Fields, Shape, ShapeReader
from ragate.cli.detect.web.route_parameters import fields_taken

FRAMEWORKS = {"fastapi": "FastAPI", "starlette": "Starlette", "flask": "Flask"}
_APPS = {"FastAPI": "fastapi", "Starlette": "starlette", "Flask": "flask"}
_VERBS = frozenset({"post", "get", "put"})


@dataclass(frozen=True)
class Route:
    """One address of a service and the function behind it.

    Attributes:
        method: ``POST``, ``GET`` or ``PUT``.
        takes: What it takes: fields of a JSON body, or of the query of its address.
        as_query: Its fields stand in the address.
        returns: The shape of its reply.
    """

    path: str
    method: str
    name: str
    file: PurePosixPath
    line: int
    takes: Fields
    as_query: bool
    returns: Shape


@dataclass(frozen=True)
class WebApp:
    """An application of a web framework.

    Attributes:
        framework: ``fastapi``, ``starlette`` or ``flask``.
        target: As its server is told it: ``app.main:app``.
        factory: The target is a function that makes it.
    """

    framework: str
    target: str
    routes: tuple[Route, ...]
    factory: bool = False

    @property
    def shown(self) -> str:
        """The framework as it writes itself."""
        return FRAMEWORKS[self.framework]


def find_apps(files: list[PythonFile]) -> Iterator[WebApp]:
    """Yield the applications of a project, each with the routes of all its modules."""
    reader = ShapeReader(files)
    web = [file for file in files if file.packages & FRAMEWORKS.keys()]
    prefixes = _prefixes(web)
    routes = tuple(
        route
        for file in web
        for route in [*_decorated(file, reader, prefixes), *_listed(file, reader)]
    )
    apps = [app for file in web for app in _apps(file)]
    for app in apps:
        own = [route for route in routes if max(apps, key=lambda each: _near(each, route)) is app]
        yield replace(app, routes=tuple(own))


def _apps(file: PythonFile) -> Iterator[WebApp]:
    for name, value in file.values.items():
        framework = _APPS.get(called(value).rpartition(".")[2])
        if framework:
            yield WebApp(framework, f"{file.module}:{name}", ())
    for name, function in file.functions.items():
        made = {called(node).rpartition(".")[2] for node in ast.walk(function)} & _APPS.keys()
        if made and not required(function):
            yield WebApp(_APPS[min(made)], f"{file.module}:{name}", (), factory=True)


def _near(app: WebApp, route: Route) -> int:
    """Return how much of their path an application and a route have in common."""
    module = app.target.partition(":")[0].split(".")
    parts = list(route.file.with_suffix("").parts)
    return next(
        (n for n, pair in enumerate(zip(module, parts, strict=False)) if pair[0] != pair[1]),
        min(len(module), len(parts)),
    )


def _prefixes(files: list[PythonFile]) -> dict[str, str]:
    """Return what stands before the routes of a router, by the router's name."""
    prefixes = {
        f"{file.module}.{name}": _keyword(value, "prefix", "url_prefix")
        for file in files
        for name, value in file.values.items()
        if called(value).rpartition(".")[2] in {"APIRouter", "Blueprint"}
    }
    for file in files:
        for node in file.calls:
            if called(node).rpartition(".")[2] in {"include_router", "register_blueprint"}:
                prefix = _keyword(node, "prefix", "url_prefix")
                router = _imported_as(dotted(node.args[0]), file) if node.args else ""
                for key in [key for key in prefixes if f".{key}".endswith(f".{router}")]:
                    prefixes[key] = prefix + prefixes[key]
    return prefixes


def _imported_as(name: str, file: PythonFile) -> str:
    """Return what a name of a module stands for where it was imported: ``chat.router``."""
    first, dot, rest = name.partition(".")
    for node in ast.walk(file.tree):
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if (alias.asname or alias.name) == first:
                    module = f"{node.module}." if node.module else ""
                    return f"{module}{alias.name}{dot}{rest}"
    return name


def _keyword(node: ast.expr, *names: str) -> str:
    if not isinstance(node, ast.Call):
        return ""
    return next((text_of(each.value) for each in node.keywords if each.arg in names), "")


def _decorated(file: PythonFile, reader: ShapeReader, prefixes: dict[str, str]) -> Iterator[Route]:
    for function in _all_functions(file):
        for decorator in function.decorator_list:
            if not isinstance(decorator, ast.Call) or not decorator.args:
                continue
            owner, _, verb = called(decorator).rpartition(".")
            path = text_of(decorator.args[0])
            if not path or verb not in _VERBS | {"route", "api_route"}:
                continue
            path = prefixes.get(f"{file.module}.{owner}", "") + path
            model = next((k.value for k in decorator.keywords if k.arg == "response_model"), None)
            method = verb.upper() if verb in _VERBS else _method(decorator)
            yield _route(file, reader, function, path, method, reader.annotated(model))


def _all_functions(file: PythonFile) -> Iterator[Function]:
    """Yield the functions of a module, with those that a factory of the application holds."""
    for function in file.functions.values():
        yield function
        yield from (
            node
            for node in ast.walk(function)
            if isinstance(node, Function) and node is not function
        )


def _method(node: ast.Call) -> str:
    methods = next((each.value for each in node.keywords if each.arg == "methods"), None)
    named = [text_of(each) for each in getattr(methods, "elts", [])]
    return "POST" if "POST" in named else (named or ["GET"])[0].upper()


def _listed(file: PythonFile, reader: ShapeReader) -> Iterator[Route]:
    """Yield routes of Starlette: ``Route("/ask", ask, methods=["POST"])``."""
    for node in ast.walk(file.tree):
        if isinstance(node, ast.Call) and called(node).rpartition(".")[2] == "Route":
            path = text_of(node.args[0]) if node.args else ""
            function = file.functions.get(dotted(node.args[1])) if len(node.args) > 1 else None
            if path and function is not None:
                yield _route(file, reader, function, path, _method(node), UNKNOWN)


def _route(
    file: PythonFile,
    reader: ShapeReader,
    function: Function,
    path: str,
    method: str,
    model: Shape,
) -> Route:
    takes, as_query = fields_taken(function, reader, path, method)
    returns = model if isinstance(model, Fields) and model.fields else reader.returned(function)
    place = (function.name, file.path, function.lineno)
    return Route(path, method, *place, takes=takes, as_query=as_query, returns=returns)
