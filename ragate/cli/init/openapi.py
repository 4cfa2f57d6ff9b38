"""What a running service says of itself (OpenAPI 3): its paths, bodies and required fields."""

from __future__ import annotations

import asyncio
import http.client
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import closing
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


async def described(url: str) -> list[dict[str, Any]]:
    """Return the ways to ask a service that runs, by its own words; [] where it has none."""
    parts = urlsplit(url)
    for path in (*PATHS, DOCS):
        text = await asyncio.to_thread(_fetched, parts, path)
        if path == DOCS:  # the page for people names the address that the project chose
            named = _DESCRIPTION.search(text)
            text = await asyncio.to_thread(_fetched, parts, named[1]) if named else ""
        document = _loaded(text)
        if isinstance(document.get("paths"), dict):
            return ways_in(document, f"{parts.scheme}://{parts.netloc}")
    return []


def _fetched(parts: SplitResult, path: str) -> str:
    """Return what stands at a path of a service, "" for nothing."""
    secure = parts.scheme == "https"
    connect = http.client.HTTPSConnection if secure else http.client.HTTPConnection
    try:
        with closing(connect(parts.hostname or "", parts.port, timeout=10)) as connection:
            connection.request("GET", path)
            reply = connection.getresponse()
            return reply.read(MAX_BYTES).decode("utf-8", "replace") if reply.status == 200 else ""
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
    ranked: list[tuple[tuple[bool, ...], dict[str, Any]]] = []
    for path, methods in document["paths"].items():
        for method, ways in (("post", _of_body), ("get", _of_query)):
            operation = _table(_table(methods).get(method))
            told = f"{path} {operation.get('operationId', '')} {operation.get('summary', '')}"
            last = path.rstrip("/").rpartition("/")[2]
            in_pieces = "stream" in path.lower()
            rank = (method == "get", not _ASKS.search(told), not _ASKS.search(last), in_pieces)
            if "{" not in path:
                found = ways(operation, document)
                ranked += [(rank, {"url": f"{base}{path}", **way}) for way in found]
    return [way for _, way in sorted(ranked, key=lambda row: row[0])]


def _of_body(operation: Schema, document: Schema) -> Iterator[dict[str, Any]]:
    """Yield bodies: a list of messages where the schema has one, else a text field."""
    content = _at(operation, "requestBody", "content", "application/json", "schema")
    fields, required = _fields(content, document)
    kinds = {name: _kind(one, document) for name, one in fields.items()}
    stand_ins = {name: _stand_in(name, fields[name], document) for name in required}

    for name in _CHAT:
        if kinds.get(name) == "array":
            yield {"body": body_template({**stand_ins, name: None}, chat=name)}
    texts = [name for name, kind in kinds.items() if kind in {"string", ""}]
    needed = [name for name in texts if name in required]
    for name in questions_in(texts) or (needed if len(needed) == 1 else []):
        yield {"body": body_template({**stand_ins, name: None})}


def _of_query(operation: Schema, _document: Schema) -> Iterator[dict[str, Any]]:
    listed = operation.get("parameters")
    parameters = [_table(one) for one in listed] if isinstance(listed, list) else []
    names = [str(one.get("name")) for one in parameters if one.get("in") == "query"]
    for name in questions_in(names):
        yield {"method": "GET", "params": {name: "{{ query }}"}}


def _fields(schema: object, document: Schema) -> tuple[Schema, list[str]]:
    """Return the fields of an object, and the names of those that it requires."""
    told = _meant(schema, document, "properties")
    fields, needs = _table(told.get("properties")), told.get("required")
    return fields, [name for name in fields if isinstance(needs, list) and name in needs]


def _stand_in(name: str, field: object, document: Schema, depth: int = 0) -> object:
    """Return what a required field is filled with beside the question, an object with its own."""
    choices = _meant(field, document, "enum").get("enum")
    if isinstance(choices, list) and choices:
        return choices[0]
    kind = _kind(field, document)
    if kind == "object":
        fields, required = _fields(field, document) if depth < DEPTH else ({}, [])
        return {each: _stand_in(each, fields[each], document, depth + 1) for each in required}
    if kind in {"integer", "number"}:
        return 10 if _COUNT.fullmatch(name) else 1
    return {"array": [], "boolean": False}.get(kind, "ragate")


def _kind(field: object, document: Schema) -> str:
    """Return the type of a field, of several the first that is none of nothing; "" for none."""
    told = _meant(field, document, "type").get("type")
    kinds = told if isinstance(told, list) else [told]
    return next((one for one in kinds if isinstance(one, str) and one != "null"), "")


def _meant(schema: object, document: Schema, wanted: str, depth: int = 0) -> Schema:
    """Return the first schema that references and choices lead to and that has a key, else {}."""
    told = _table(schema) if depth <= DEPTH else {}
    if isinstance(told.get("$ref"), str):
        # References within the document; others are not followed.
        names = [one.replace("~1", "/").replace("~0", "~") for one in told["$ref"].split("/")]
        inside = _at(document, *names[1:]) if names[0] == "#" else None
        return _meant(inside, document, wanted, depth + 1)
    for choice in ("allOf", "anyOf", "oneOf"):
        if isinstance(told.get(choice), list):
            found = (_meant(each, document, wanted, depth + 1) for each in told[choice])
            return next(filter(None, found), {})
    return told if told.get(wanted) not in (None, "", "null") else {}


def _at(value: object, *names: str) -> object:
    for name in names:
        value = _table(value).get(name)
    return value


def _table(value: object) -> Schema:
    return value if isinstance(value, dict) else {}
