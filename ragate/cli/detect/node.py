"""Routes and exported functions of a Node project that take a question."""

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from ragate.cli.detect.candidate import RagCandidate, is_question, questions_in
from ragate.cli.detect.programs import node_adapter
from ragate.cli.detect.project_files import SCRIPTS, ScriptFile, manifest, npm_scripts, source_files
from ragate.cli.detect.routes import ASKS, HEALTH, HOST, request_variants

# TypeScript may say between name and bracket what it takes: app.post<{ Body: Ask }>("/ask".
_ROUTE = re.compile(
    r"(?<!\w)(\w{1,100})\s{0,100}\.(get|post)(?:<[^()]{0,300}>)?"
    r"\(\s*[\"'`](/[\w/.~-]{0,100})[\"'`]"
)
_COMPARED = re.compile(r"(?:url|pathname|path)\s*={2,3}\s*[\"'`](/[\w/.~-]{1,100})[\"'`]")
_PREFIX = re.compile(r"\.(?:use|register|route)\(\s*[\"'`](/[\w/.~-]{1,60})[\"'`]\s*,")
_LISTENS = re.compile(r"\.listen\(\s*(?:\{\s*port:\s*)?(?:(\d{2,5})|(\w+))|\bserve\(")
_PORT = re.compile(r"PORT\s*(?:\|\||\?\?)\s*[\"']?(\d{2,5})|port\s*[=:]\s*(\d{2,5})", re.IGNORECASE)
_NAMES = re.compile(r"ask|answer|query|chat|rag|question|respond|retriev|search", re.IGNORECASE)
_RETRIEVES = re.compile(r"retriev|search|^query$", re.IGNORECASE)
_FUNCTION = re.compile(
    r"export\s+(?P<default>default\s+)?(?:async\s+)?function\s+(?P<name>\w+)\s*\((?P<takes>[^)]{0,200})\)"
    r"|export\s+const\s+(?P<const>\w+)\s*=\s*(?:async\s*)?(?:\((?P<const_takes>[^)]{0,200})\)|(?P<single>\w+))"
    r"[^=]{0,80}=>"
    r"|(?:async\s+)?function\s+(?P<plain>\w+)\s*\((?P<plain_takes>[^)]{0,200})\)"
)
_EXPORTED = re.compile(
    r"module\.exports\s*=\s*\{?([^}]{0,2000})|\bexports\.(\w+)\s*=|export\s*\{([^}]{0,2000})\}"
)
_BROWSER = re.compile(
    r"\b(?:window|document)\.|[\"']use client[\"']|from [\"']react|fetch\(\s*[\"'`]/"
)
_WORD = re.compile(r"\w+")
_STARTS = ("start", "serve", "server", "start:api", "api", "dev")
_MOST, _MOST_ROUTES, _MOST_FUNCTIONS = 4000, 300, 20


def find_node(root: Path) -> Iterator[RagCandidate]:
    """Yield the routes of a Node project, and the functions that it exports."""
    package = manifest(root)
    if package is None:
        return
    files = source_files(root, SCRIPTS)
    yield from _services(files, package)
    for file in files:
        if not _BROWSER.search(file.text):
            yield from islice(_functions(file, package), _MOST_FUNCTIONS)


def _services(files: list[ScriptFile], package: Any) -> Iterator[RagCandidate]:
    main = next((file for file in files if _LISTENS.search(file.text)), None)
    if main is None:
        return
    routes = [(file, match) for file in files for match in _ROUTE.finditer(file.text)][
        :_MOST_ROUTES
    ]
    pages = [match[3] for _, match in routes if match[2] == "get"]
    pages += [match[1] for file in files for match in _COMPARED.finditer(file.text)]
    health = next((page for page in pages if HEALTH.search(page)), "")
    prefixes = [match[1] for file in files for match in _PREFIX.finditer(file.text)]
    seen = set()
    for file, method, path, at in _paths(files, routes):
        fields = _fields(file.text[at : at + _MOST], file.text)
        if (method, path) not in seen and fields and (method == "POST" or ASKS.search(path)):
            seen.add((method, path))
            before = ["", *prefixes] if file is main else [*prefixes, ""]
            base = f"http://{HOST}:{_port(main, files)}"
            ways = request_variants(method, fields)
            variants = [{"url": f"{base}{one}{path}", **way} for way in ways for one in before]
            yield _service(file, method, path, base, health, variants, _start(main, package))


def _paths(
    files: list[ScriptFile], routes: list[tuple[ScriptFile, re.Match[str]]]
) -> Iterator[tuple[ScriptFile, str, str, int]]:
    """Yield file, method and path of each route, and where its code begins."""
    for file, match in routes:
        yield file, match[2].upper(), match[3], match.end()
    for file in files:  # node:http knows no routes
        for match in _COMPARED.finditer(file.text):
            yield file, "POST", match[1], match.end()


def _service(
    file: ScriptFile,
    method: str,
    path: str,
    base: str,
    health: str,
    variants: list[dict[str, Any]],
    start: list[str],
) -> RagCandidate:
    settings: dict[str, Any] = {"url": variants[0]["url"], "start": start}
    if method != "POST":
        settings["method"] = method
    if health:
        settings["health"] = f"{base}{health}"
    return RagCandidate(
        "http",
        f"the route {method} {path} in {file.path}",
        (60 if method == "POST" else 52) + 14 * bool(ASKS.search(path)),
        settings=settings,
        policy={"http_hosts": [base.removeprefix("http://")]},
        variants=tuple(variants[:8]),
    )


def _start(main: ScriptFile, package: Any) -> list[str]:
    """Return the script of package.json that starts the service, else the file that listens."""
    names = npm_scripts(package)
    script = next((name for name in _STARTS if name in names), "")
    if script:
        return ["npm", "run", "--silent", script]
    return [*node_program(package, str(main.path)), str(main.path)]


def node_program(package: Any, path: str) -> list[str]:
    """Return what runs a file: TypeScript where the project has tsx."""
    listed = {**(package.get("dependencies") or {}), **(package.get("devDependencies") or {})}
    return ["node", "--import", "tsx"] if path.endswith("ts") and "tsx" in listed else ["node"]


def _fields(code: str, text: str) -> list[str]:
    """Return the names under which a route may take the question: those near it first."""
    near, words = set(_WORD.findall(code)), set(_WORD.findall(text))
    found = questions_in(near - {"ask"})
    return (found or questions_in(words - {"ask"}))[:4]


def _port(main: ScriptFile, files: list[ScriptFile]) -> int:
    listens = _LISTENS.search(main.text)
    if listens and listens[1]:
        return int(listens[1])
    named = next((found for file in (main, *files) if (found := _PORT.search(file.text))), None)
    return int(named[1] or named[2]) if named else 3000


def _functions(file: ScriptFile, package: Any) -> Iterator[RagCandidate]:
    exported = {word for match in _EXPORTED.finditer(file.text) for word in _WORD.findall(match[0])}
    for match in _FUNCTION.finditer(file.text):
        name = match["name"] or match["const"] or match["plain"]
        takes = (
            match["takes"] or match["const_takes"] or match["single"] or match["plain_takes"] or ""
        )
        field, customary = _taken(takes.strip())
        if customary and _NAMES.search(name) and (not match["plain"] or name in exported):
            yield _function(file, "" if match["default"] else name, name, field, match, package)


def _function(
    file: ScriptFile, export: str, name: str, field: str, match: re.Match[str], package: Any
) -> RagCandidate:
    adapter, text = node_adapter(file.path, export, field)
    line = file.text.count("\n", 0, match.start()) + 1
    near = 8 * (name.lower() in {"ask", "answer", "rag", "chat"})
    return RagCandidate(
        "command",
        f"the function {name}() in {file.path}:{line}, by {adapter}",
        # A page's own search and a database's query are named so as well.
        50 + near - 14 * bool(_RETRIEVES.search(name)),
        settings={"command": [*node_program(package, str(file.path)), adapter]},
        files={adapter: text},
    )


def _taken(takes: str) -> tuple[str, bool]:
    """Return the field of the first parameter that takes the question, and whether one does."""
    if takes.startswith("{"):
        names = _WORD.findall(takes.partition("}")[0])
        field = next(iter(questions_in(names)), "")
        return field, bool(field)
    first = _WORD.match(takes)
    return "", bool(first and is_question(first[0]))
