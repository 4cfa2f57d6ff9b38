"""What a running service says of itself (OpenAPI 3): its paths, bodies and required fields."""

from __future__ import annotations

import asyncio
import http.client
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import Any
from urllib.parse import SplitResult, urlsplit

from ragate.cli.init.question_fields import body_template, questions_in

PATHS = ("/openapi.json", "/api/openapi.json", "/api/v1/openapi.json", "/swagger.json")
DOCS = "/docs"
_DESCRIPTION = re.compile(r"url: *['\"](/[^'\"]+)['\"]")  # in the page of Swagger UI
# Where a service takes questions that says nothing of itself.
CUSTOMARY = ("/ask", "/chat", "/query", "/api/ask", "/api/chat", "/api/query", "/rag", "/search")
MAX_BYTES = 2_000_000
DEPTH = 8
_ASKS = re.compile(r"ask|query|chat|answer|rag|question|complet|respon[ds]|convers|assist", re.I)
_COUNT = re.compile(r"(top_?)?k|limit|n|count|max_results|size|num_results", re.IGNORECASE)
_CHAT = ("messages", "input", "history", "chat")
Schema = Mapping[str, Any]


@dataclass(frozen=True)
class _Way:
    """One way to ask: its keys of ``[system]``, and what makes it the less likely one."""

    keys: dict[str, Any]
    doubts: tuple[bool, ...]


async def described(url: str) -> list[dict[str, Any]]:
    """Return the ways to ask a service that runs, by its own words; [] where it has none."""
    service = urlsplit(url)
    for path in (*PATHS, DOCS):
        text = await asyncio.to_thread(_fetched, service, path)
        if path == DOCS:  # the page for people names the address that the project chose
            address = _DESCRIPTION.search(text)
            text = await asyncio.to_thread(_fetched, service, address[1]) if address else ""
        document = _loaded(text)
        if isinstance(document.get("paths"), dict):
            return ways_in(document, f"{service.scheme}://{service.netloc}")
    return []


def _fetched(service: SplitResult, path: str) -> str:
    """Return what stands at a path of a service, "" for nothing."""
    is_secure = service.scheme == "https"
    connect = http.client.HTTPSConnection if is_secure else http.client.HTTPConnection
    try:
        with closing(connect(service.hostname or "", service.port, timeout=10)) as connection:
            connection.request("GET", path)
            reply = connection.getresponse()
            if reply.status != 200:
                return ""
            return reply.read(MAX_BYTES).decode("utf-8", "replace")
    except (OSError, ValueError, http.client.HTTPException):
        return ""


def _loaded(text: str) -> Schema:
    try:
        return _table(json.loads(text))
    except (ValueError, RecursionError):
        return {}


def ways_in(document: Schema, base: str) -> list[dict[str, Any]]:
    """Return the keys of ``[system]`` for each operation that may take a question, the likeliest
    first: POST before GET, and a path that speaks of questions before others.
    """
    ways: list[_Way] = []
    for path, methods in document["paths"].items():
        if "{" in path:
            continue
        for method in ("post", "get"):
            operation = _table(_at(methods, method))
            doubts = (method == "get", *_doubts(path, operation))
            bodies = _of_body(operation, document) if method == "post" else ()
            asked = (*bodies, *_of_query(operation, method))
            ways += [_Way({"url": f"{base}{path}", **keys}, doubts) for keys in asked]
    return [way.keys for way in sorted(ways, key=lambda way: way.doubts)]


def _doubts(path: str, operation: Schema) -> tuple[bool, bool, bool]:
    """Return whether no word of an operation speaks of questions; whether the last one of its
    path does not; and whether it answers in pieces.
    """
    words = f"{path} {operation.get('operationId', '')} {operation.get('summary', '')}"
    last = path.rstrip("/").rpartition("/")[2]
    return not _ASKS.search(words), not _ASKS.search(last), "stream" in path.lower()


def _of_body(operation: Schema, document: Schema) -> Iterator[dict[str, Any]]:
    """Yield bodies: a list of messages where the schema has one, else a text field.

    Where a question is required beside the list, the list is what was said before.
    """
    schema = _at(operation, "requestBody", "content", "application/json", "schema")
    fields, required = _fields(schema, document)
    types = {name: _type(field, document) for name, field in fields.items()}
    stand_ins = {name: _stand_in(name, fields[name], document) for name in required}

    chats = [name for name in _CHAT if types.get(name) == "array"]
    texts = [name for name in types if types[name] in {"string", ""}]
    questions = questions_in(texts)
    is_asked = not stand_ins.keys().isdisjoint(questions)
    if not questions:
        required_texts = [name for name in texts if name in required]
        questions = required_texts if len(required_texts) == 1 else []

    of_chats = [body_template({**stand_ins, name: None}, chat=name) for name in chats]
    of_texts = [body_template({**stand_ins, name: None}) for name in questions]
    for body in [*of_texts, *of_chats] if is_asked else [*of_chats, *of_texts]:
        yield {"body": body}


def _of_query(operation: Schema, method: str) -> Iterator[dict[str, Any]]:
    """Yield query strings: one for each parameter that a question is taken under."""
    listed = operation.get("parameters")
    parameters = map(_table, listed) if isinstance(listed, list) else ()
    names = [str(each.get("name")) for each in parameters if each.get("in") == "query"]
    for name in questions_in(names):
        yield {"method": method.upper(), "params": {name: "{{ query }}"}}


def _fields(schema: object, document: Schema) -> tuple[Schema, list[str]]:
    """Return the fields of an object, and the names of those that it requires."""
    table = _resolved(schema, document, "properties")
    fields, required = _table(table.get("properties")), table.get("required")
    if not isinstance(required, list):
        return fields, []
    return fields, [name for name in fields if name in required]


def _stand_in(name: str, field: object, document: Schema, depth: int = 0) -> object:
    """Return what a required field is filled with beside the question, an object with its own."""
    choices = _resolved(field, document, "enum").get("enum")
    if isinstance(choices, list) and choices:
        return choices[0]
    match _type(field, document):
        case "object":
            if depth >= DEPTH:
                return {}
            fields, required = _fields(field, document)
            return {each: _stand_in(each, fields[each], document, depth + 1) for each in required}
        case "integer" | "number":
            return 10 if _COUNT.fullmatch(name) else 1
        case "array":
            return []
        case "boolean":
            return False
        case _:
            return "ragate"


def _type(field: object, document: Schema) -> str:
    """Return the type of a field, of several the first that is not null; "" for none."""
    value = _resolved(field, document, "type").get("type")
    types = value if isinstance(value, list) else [value]
    return next((each for each in types if isinstance(each, str) and each != "null"), "")


def _resolved(schema: object, document: Schema, key: str, depth: int = 0) -> Schema:
    """Return the first schema that references and choices lead to and that has a key, else {}."""
    if depth > DEPTH:
        return {}
    table = _table(schema)
    if isinstance(table.get("$ref"), str):
        return _resolved(_referenced(table["$ref"], document), document, key, depth + 1)
    for choice in ("allOf", "anyOf", "oneOf"):
        if isinstance(table.get(choice), list):
            schemas = (_resolved(each, document, key, depth + 1) for each in table[choice])
            return next(filter(None, schemas), {})
    return table if table.get(key) not in (None, "", "null") else {}


def _referenced(reference: str, document: Schema) -> object:
    """Return what stands where ``#/a/b`` points in the document; other references lead nowhere."""
    start, *names = reference.split("/")
    if start != "#":
        return None
    return _at(document, *(name.replace("~1", "/").replace("~0", "~") for name in names))


def _at(value: object, *names: str) -> object:
    """Return what stands in an object under these names, one in the other; None for nothing."""
    for name in names:
        value = _table(value).get(name)
    return value


def _table(value: object) -> Schema:
    return value if isinstance(value, dict) else {}
