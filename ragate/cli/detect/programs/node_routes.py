"""Routes of a Node service (Express, Fastify, Hono and their like) that take a question."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from ragate.cli.detect.fields import (
    IDS,
    PASSAGES,
    QUESTION,
    TEXT,
    body_template,
    pointers_of,
)
from ragate.cli.detect.found_system import FoundSystem
from ragate.cli.detect.programs.script_files import ScriptFile, manifest, script_files
from ragate.cli.detect.shapes import Fields, Items, Shape, Value
from ragate.cli.detect.web.services import HEALTH, HOST
from ragate.cli.detect.web.wanted_header import LETS_IN, WantedHeader, header_of, with_headers

_ROUTE = re.compile(r"\.(get|post)\(\s*[\"'`](/[\w/.~-]{0,100})[\"'`]")
_LISTENS = re.compile(r"\.listen\(\s*(?:\{\s*port:\s*)?(?:(\d{2,5})|(\w+))")
_PORT = re.compile(r"PORT\s*(?:\|\||\?\?)\s*[\"']?(\d{2,5})|port\s*=\s*(\d{2,5})")
_BODY = re.compile(r"\{([^{}]{1,300})\}\s*=\s*(?:await\s+)?\w+(?:\.\w+)*\.(?:body|json\(\))")
_READ = re.compile(r"\.body(?:\??\.(\w+)|\[[\"'](\w+)[\"']\])")
_REPLY = re.compile(r"(?:\.json|\.send|return)\s*\(?\s*\{")
_KEYS = re.compile(r"(?:^|,)\s*[\"']?(\w+)[\"']?\s*(?::|(?=,|$))")
# Of a request that came in: what a client of another service sends stands elsewhere.
_HEADER = re.compile(
    r"\b(?:req|request|ctx|c|q)(?:\.\w+)?\.(?:headers(?:\.(\w+)|\[[\"']([\w-]+)[\"']\])"
    r"|(?:get|header)\([\"']([\w-]+))"
)
_VARIABLE = re.compile(r"process\.env\.([A-Z][A-Z0-9_]{2,60})\b")
_MOST, _MOST_ROUTES = 4000, 300


def find_node_routes(root: Path) -> Iterator[FoundSystem]:
    """Yield the routes of a Node project that take a question in a JSON body."""
    if manifest(root) is None:
        return
    files = script_files(root)
    starts = next((file for file in files if _LISTENS.search(file.text)), None)
    routes = [(file, match) for file in files for match in _ROUTE.finditer(file.text)]
    pages = [match[2] for _, match in routes if match[1] == "get"]
    health = next((page for page in pages if HEALTH.search(page)), "")
    headers = _headers(files)
    for file, match in routes[:_MOST_ROUTES]:
        code = file.text[match.end() : match.end() + _MOST]
        code = code[: following.start()] if (following := _ROUTE.search(code)) else code
        question = _question(code)
        if match[1] == "post" and question:
            found = _found(file, match[2], question, _reply(code), starts, health)
            found = with_headers(found, headers)
            yield _with_variables(found, files) if headers else found


def _found(
    file: ScriptFile,
    path: str,
    question: str,
    reply: Fields,
    starts: ScriptFile | None,
    health: str,
) -> FoundSystem:
    base = f"http://{HOST}:{_port(starts or file)}"
    pointers = pointers_of(reply)
    settings: dict[str, object] = {"url": f"{base}{path}"}
    unsure = ["a router's prefix before its path is not read"] if starts is not file else []
    if starts is not None and health:
        settings |= {"start": ["node", str(starts.path)], "health": f"{base}{health}"}
        unsure.append("in CI the job has to install what the service needs first: npm ci")
    else:
        unsure.append(
            f"a service must run at {base}; with a page such as /health, `start` and `health` let "
            "ragate start it (docs/system-http.md)"
        )
    if not pointers:
        unsure.append("the fields of its reply could not be read: correct [system.pointers]")
    settings |= {
        "body": body_template({question: None}),
        "pointers": pointers or {"answer": "/answer"},
    }
    return FoundSystem(
        "http",
        f"the route POST {path} in {file.path}",
        60 + 10 * ("ids" in pointers) + 6 * ("answer" in pointers) - 20 * (not pointers),
        settings=settings,
        policy={"http_hosts": [f"{HOST}:{_port(starts or file)}"]},
        answers="answer" in pointers or not pointers,
        passages="contexts" in pointers,
        ids="ids" in pointers,
        unsure=tuple(unsure),
    )


def _with_variables(found: FoundSystem, files: list[ScriptFile]) -> FoundSystem:
    """Return a service that may have the variables that it reads: one holds the key it wants."""
    names = {name for file in files for name in _VARIABLE.findall(file.text)} - {"PORT", "NODE_ENV"}
    if not names or "start" not in found.settings:
        return found
    return replace(found, settings={**found.settings, "pass_env": sorted(names)})


def _question(code: str) -> str:
    names = {name for match in _READ.finditer(code) for name in match.groups() if name}
    for match in _BODY.finditer(code):
        names |= {part.split(":")[0].split("=")[0].strip() for part in match[1].split(",")}
    return next((name for name in QUESTION if name in names), "")


def _reply(code: str) -> Fields:
    """Return the fields of the richest object that is sent back; of passages by usual names."""
    best: list[str] = []
    for match in _REPLY.finditer(code):
        keys = _KEYS.findall(_flat(code[match.end() :]))
        best = keys if len(keys) > len(best) else best
    return Fields({key: _part(key, code) for key in best})


def _part(key: str, code: str) -> Shape:
    if key not in PASSAGES:
        return Value()
    words = set(re.findall(r"\w+", code))
    named = [*(name for name in TEXT if name in words)][:1]
    named += [name for name in IDS if name in words and name not in named and name != key][:1]
    return Items(Fields(dict.fromkeys(named, Value()))) if named else Items(Value())


def _flat(code: str) -> str:
    """Return what stands at the top level of an object, up to its end."""
    depth, kept = 0, []
    for sign in code:
        if sign in "}])":
            depth -= 1
            if depth < 0:
                break
        elif sign in "{[(":
            depth += 1
        elif depth == 0:
            kept.append(sign)
    return "".join(kept)


def _port(file: ScriptFile) -> int:
    listens, named = _LISTENS.search(file.text), _PORT.search(file.text)
    if listens and listens[1]:
        return int(listens[1])
    return int(named[1] or named[2]) if named else 3000


def _headers(files: list[ScriptFile]) -> list[WantedHeader]:
    """Return the headers that the code looks up and that let somebody in."""
    found = {}
    for file in files:
        for match in _HEADER.finditer(file.text):
            name = next(filter(None, match.groups()))
            if LETS_IN.search(name) and name.lower() != "authenticate":
                header = header_of(name, hint=file.text)
                found[header.name] = header
    return list(found.values())
