"""Routes of FastAPI, Starlette and Flask, and how their application is started."""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragate.cli.detect.candidate import QUESTION, RagCandidate, body_template, questions_in
from ragate.cli.detect.project_files import (
    Function,
    PythonFile,
    called,
    dotted,
    last_name,
    own_python,
    required,
    text_of,
)
from ragate.support.foreign_files import start_of

HOST = "127.0.0.1"
FRAMEWORKS = {"FastAPI": "fastapi", "Starlette": "starlette", "Flask": "flask", "Quart": "flask"}
HEALTH = re.compile(r"health|alive|ready|ping|status|livez|readyz", re.I)
ASKS = re.compile(
    r"ask|query|chat|answer|rag|question|search|retriev|complet|predict|respon[ds]|convers|assist",
    re.I,
)
_VERBS = frozenset({"post", "get", "put"})
_PORTS = (
    ("Dockerfile", re.compile(r"^EXPOSE\s+(\d+)|--port[= ,\"']+(\d+)", re.MULTILINE)),
    ("Procfile", re.compile(r"--port[= ]+(\d+)")),
    ("Makefile", re.compile(r"--port[= ]+(\d+)")),
    ("docker-compose.yml", re.compile(r"[\"']?\d+:(\d+)[\"']?")),
)
_DEFAULT_PORT = {"fastapi": 8000, "starlette": 8000, "flask": 5000}
_MAX_BYTES = 200_000
_MOST_FIELDS = 5


@dataclass(frozen=True)
class _Route:
    path: str
    method: str
    function: Function
    file: PythonFile

    @property
    def asks(self) -> bool:
        """Whether its own name, without what stands before it, speaks of questions."""
        name = f"{self.path.rstrip('/').rpartition('/')[2]} {self.function.name}"
        return bool(ASKS.search(name)) and not HEALTH.search(name)


@dataclass(frozen=True)
class _App:
    """An application: ``app.main:app``, made by a function where `factory`."""

    framework: str
    name: str
    file: PythonFile
    factory: bool = False


def find_services(files: list[PythonFile], root: Path) -> Iterator[RagCandidate]:
    """Yield the routes that may take a question, each with the way to start its application."""
    web = [file for file in files if file.packages & {"fastapi", "starlette", "flask", "quart"}]
    prefixes = _prefixes(web)
    apps = [app for file in web for app in _apps(file)]
    routes = [route for file in web for route in _routes(file, prefixes)]
    for route in routes:
        fields = _fields(route, files)
        if apps and fields and not any(mark in route.path for mark in "{<"):
            app = max(apps, key=lambda each: _near(each, route))
            pages = [each.path for each in routes if each.method == "GET"]
            yield _candidate(app, route, fields, pages, files, root)


def _candidate(
    app: _App,
    route: _Route,
    fields: list[str],
    pages: list[str],
    files: list[PythonFile],
    root: Path,
) -> RagCandidate:
    port = _port(app, files, root)
    base = f"http://{HOST}:{port}"
    health = next((page for page in pages if HEALTH.search(page)), "")
    if not health and app.framework == "fastapi":
        health = "/openapi.json"
    settings: dict[str, Any] = {"url": f"{base}{route.path}"}
    if route.method != "POST":
        settings["method"] = route.method
    settings["start"] = _start(app, port, root)
    if health:
        settings["health"] = f"{base}{health}"
    function = route.function
    return RagCandidate(
        "http",
        f"the {_shown(app)} route {route.method} {route.path}, {function.name}() in "
        f"{route.file.path}:{function.lineno}",
        62 + 14 * route.asks,
        settings=settings,
        policy={"http_hosts": [f"{HOST}:{port}"]},
        variants=request_variants(route.method, fields),
    )


def request_variants(method: str, fields: list[str]) -> tuple[dict[str, Any], ...]:
    """Return the requests that may be understood, the likeliest first."""
    if method == "GET":
        return tuple({"params": {name: "{{ query }}"}} for name in fields)
    return tuple({"body": body_template({name: None})} for name in fields)


def _fields(route: _Route, files: list[PythonFile]) -> list[str]:
    """Return the names under which a route may take the question: those in its own code first."""
    near = _words(route.function)
    classes = {name: node for file in files for name, node in file.classes.items()}
    for argument in [*route.function.args.args, *route.function.args.kwonlyargs]:
        model = classes.get(last_name(dotted(argument.annotation)))
        near |= _words(model) if model is not None else set()
    found = questions_in(near)
    if not found and route.asks:
        found = questions_in(_words(route.file.tree)) or list(QUESTION)
    return found[:_MOST_FIELDS]


def _words(node: ast.AST) -> set[str]:
    """Return the names of fields, arguments and texts in some code."""
    words = set()
    for each in ast.walk(node):
        if isinstance(each, ast.arg):
            words.add(each.arg)
        elif isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name):
            words.add(each.target.id)
        elif isinstance(each, ast.Attribute):
            words.add(each.attr)
        else:
            words.add(text_of(each))
    return words


def _apps(file: PythonFile) -> Iterator[_App]:
    for name, value in file.values.items():
        if framework := FRAMEWORKS.get(last_name(called(value))):
            yield _App(framework, name, file)
    for name, function in file.functions.items():
        made = {last_name(called(node)) for node in ast.walk(function)} & FRAMEWORKS.keys()
        if made and not required(function):
            yield _App(FRAMEWORKS[min(made)], name, file, factory=True)


def _shown(app: _App) -> str:
    return next(name for name, framework in FRAMEWORKS.items() if framework == app.framework)


def _near(app: _App, route: _Route) -> int:
    """Return how much of their path an application and a route have in common."""
    pairs = zip(app.file.path.parts, route.file.path.parts, strict=False)
    return next((number for number, (a, b) in enumerate(pairs) if a != b), 100)


def _prefixes(files: list[PythonFile]) -> dict[str, str]:
    """Return what stands before the routes of a router, by the router's name."""
    prefixes = {
        f"{file.module}.{name}": _keyword(value, "prefix", "url_prefix")
        for file in files
        for name, value in file.values.items()
        if last_name(called(value)) in {"APIRouter", "Blueprint"}
    }
    for file in files:
        for node in file.calls:
            if last_name(called(node)) in {"include_router", "register_blueprint"}:
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
    listed = node.keywords if isinstance(node, ast.Call) else []
    return next((text_of(each.value) for each in listed if each.arg in names), "")


def _routes(file: PythonFile, prefixes: dict[str, str]) -> Iterator[_Route]:
    functions = {node.name: node for node in ast.walk(file.tree) if isinstance(node, Function)}
    for function in functions.values():
        for decorator in function.decorator_list:
            if isinstance(decorator, ast.Call) and decorator.args:
                owner, _, verb = called(decorator).rpartition(".")
                path = text_of(decorator.args[0])
                if path.startswith("/") and verb in _VERBS | {"route", "api_route"}:
                    path = prefixes.get(f"{file.module}.{owner}", "") + path
                    method = verb.upper() if verb in _VERBS else _method(decorator)
                    yield _Route(path, method, function, file)
    for node in file.calls:  # Starlette: Route("/ask", ask, methods=["POST"])
        if last_name(called(node)) == "Route" and len(node.args) > 1:
            path, handler = text_of(node.args[0]), functions.get(dotted(node.args[1]))
            if path and handler is not None:
                yield _Route(path, _method(node), handler, file)


def _method(node: ast.Call) -> str:
    methods = next((each.value for each in node.keywords if each.arg == "methods"), None)
    named = [text_of(each) for each in getattr(methods, "elts", [])]
    return "POST" if "POST" in named else (named or ["GET"])[0].upper()


def _start(app: _App, port: int, root: Path) -> list[str]:
    python = own_python(root)
    target = f"{app.file.module}:{app.name}"
    if app.framework == "flask":  # a path: its folder is where it imports from
        place = f"{app.file.path}:{app.name}"
        return [python, "-m", "flask", "--app", place, "run", "--host", HOST, "--port", str(port)]
    factory = ["--factory"] if app.factory else []
    return [python, "-m", "uvicorn", target, *factory, "--host", HOST, "--port", str(port)]


def _port(app: _App, files: list[PythonFile], root: Path) -> int:
    """Return the port that the code or its container names, else the framework's."""
    for file in files:
        for node in file.calls:
            if called(node).endswith(("run", "serve")):
                for keyword in node.keywords:
                    value = getattr(keyword.value, "value", None)
                    if keyword.arg == "port" and isinstance(value, int) and 0 < value < 65536:
                        return value
    for name, pattern in _PORTS:
        if match := pattern.search(start_of(root / name, _MAX_BYTES)):
            port = int(next(group for group in match.groups() if group))
            if 0 < port < 65536:
                return port
    return _DEFAULT_PORT[app.framework]
