"""Services as candidates: an application that is started for the run, or one that runs already."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ragate.cli.detect.document_folder import documents_reader, globbed_folder
from ragate.cli.detect.environment import own_python
from ragate.cli.detect.fields import body_of, body_template, pointers_of, question_field
from ragate.cli.detect.found_system import FoundSystem
from ragate.cli.detect.python_files import PythonFile, called
from ragate.cli.detect.web.code_headers import HeaderReader
from ragate.cli.detect.web.routes import FRAMEWORKS, Route, WebApp, find_apps
from ragate.cli.detect.web.wanted_header import with_headers

HOST = "127.0.0.1"
_PATHS = re.compile(r"ask|query|chat|answer|rag|question|search|retriev|complet|predict", re.I)
HEALTH = re.compile(r"health|alive|ready|ping|status|livez|readyz|^/$", re.I)
_PORTS = (
    ("Dockerfile", re.compile(r"^EXPOSE\s+(\d+)|--port[= ,\"']+(\d+)", re.MULTILINE)),
    ("Procfile", re.compile(r"--port[= ]+(\d+)")),
    ("docker-compose.yml", re.compile(r"[\"']?\d+:(\d+)[\"']?")),
)
_DEFAULT_PORT = {"fastapi": 8000, "starlette": 8000, "flask": 5000}
MAX_BYTES = 200_000


_NOHEALTH = (
    "ragate cannot start this service, since it has no page such as /health that says when it is "
    "up: add one and set `start` and `health`, or start the service before each command, in CI too "
    "(docs/system-http.md)"
)
_BY_HAND = 16  # below a function that takes a question and says its documents


def find_services(files: list[PythonFile], root: Path) -> Iterator[FoundSystem]:
    """Yield the routes that take a question, each with the way to start its application."""
    reader = HeaderReader([file for file in files if file.packages & FRAMEWORKS.keys()])
    for app in find_apps(files):
        port = _port(app, files, root)
        for route in app.routes:
            if candidate := _candidate(app, route, port, files, root):
                file = next(each for each in files if each.path == route.file)
                yield with_headers(candidate, reader.of_route(file, route.line))


def _candidate(
    app: WebApp, route: Route, port: int, files: list[PythonFile], root: Path
) -> FoundSystem | None:
    question = question_field(route.takes)
    if not question or any(mark in route.path for mark in "{<"):
        return None
    pointers = pointers_of(route.returns)
    health = _health(app)
    settings, guessed = _settings(app, route, port, root, question)
    settings["pointers"] = pointers or {"answer": "/answer"}
    file = next(each for each in files if each.path == route.file)
    unsure = [f"the body's {name} is a guess" for name in guessed]
    if "answer" not in pointers and "contexts" not in pointers and "ids" not in pointers:
        unsure.append("the fields of its reply could not be read: correct [system.pointers]")
    if not health:
        unsure.append(_NOHEALTH)
    return FoundSystem(
        "http",
        f"the {app.shown} route {route.method} {route.path}, {route.name}() in "
        f"{route.file}:{route.line}",
        # What has to be started by hand first cannot be the one that is taken unasked.
        _likelihood(route, pointers) - (0 if health else _BY_HAND),
        settings=settings,
        policy={"http_hosts": [f"{HOST}:{port}"]},
        documents=documents_reader(file, files, root) or _documents(files, file, root),
        answers="answer" in settings["pointers"],
        passages="contexts" in pointers,
        ids="ids" in pointers,
        unsure=tuple(unsure),
    )


def _settings(
    app: WebApp, route: Route, port: int, root: Path, question: str
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the keys that reach a route, and the fields of its body that are guesses."""
    base = f"http://{HOST}:{port}"
    body, guessed = body_of(route.takes, question)
    settings: dict[str, Any] = {"url": f"{base}{route.path}"}
    if route.method != "POST":
        settings["method"] = route.method
    if health := _health(app):
        settings["start"] = _start(app, port, root)
        settings["health"] = f"{base}{health}"
    if route.as_query:
        settings["params"] = {question: "{{ query }}", **_texts(body)}
    else:
        settings["body"] = body_template(body)
    return settings, guessed


def _likelihood(route: Route, pointers: dict[str, str]) -> int:
    likely = 60 + 12 * bool(_PATHS.search(f"{route.path} {route.name}"))
    return likely + 10 * ("ids" in pointers) + 6 * ("answer" in pointers) - 20 * (not pointers)


def _texts(body: dict[str, object]) -> dict[str, str]:
    return {name: str(value) for name, value in body.items() if value is not None}


def _documents(files: list[PythonFile], file: PythonFile, root: Path) -> str:
    folders = (globbed_folder(each, root) for each in [file, *files])
    return next((folder for folder in folders if folder), "")


def _health(app: WebApp) -> str:
    """Return the address that says when the service is up, "" where there is none."""
    pages = [
        route.path
        for route in app.routes
        if route.method == "GET" and not any(mark in route.path for mark in "{<")
    ]
    telling = [path for path in pages if HEALTH.search(path)]
    if telling:
        return telling[0]
    return "/openapi.json" if app.framework == "fastapi" else ""


def _start(app: WebApp, port: int, root: Path) -> list[str]:
    python = own_python(root)
    if app.framework == "flask":
        command = ["flask", "--app", app.target, "run", "--host", HOST, "--port", str(port)]
        return [python, "-m", *command]
    factory = ["--factory"] if app.factory else []
    return [python, "-m", "uvicorn", app.target, *factory, "--host", HOST, "--port", str(port)]


def _port(app: WebApp, files: list[PythonFile], root: Path) -> int:
    """Return the port that the code or its container names, else the framework's."""
    for file in files:
        for node in file.calls:
            if called(node).endswith((".run", "serve", "run")):
                for keyword in node.keywords:
                    value = getattr(keyword.value, "value", None)
                    if keyword.arg == "port" and isinstance(value, int) and 0 < value < 65536:
                        return value
    for name, pattern in _PORTS:
        if match := pattern.search(start_of(root / name)):
            port = int(next(group for group in match.groups() if group))
            if 0 < port < 65536:
                return port
    return _DEFAULT_PORT[app.framework]


def start_of(path: Path, most: int = MAX_BYTES) -> str:
    """Return the first characters of a regular file, "" for a link or what cannot be read."""
    if path.is_symlink() or not path.is_file():
        return ""
    try:
        with path.open(encoding="utf-8", errors="replace") as stream:
            return stream.read(most)
    except OSError:
        return ""
