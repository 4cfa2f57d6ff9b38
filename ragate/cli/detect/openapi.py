"""Descriptions of an API (OpenAPI 3) as candidates: a service that runs already."""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import yaml

from ragate.cli.detect.candidate import RagCandidate, body_template, questions_in
from ragate.support.foreign_files import start_of

NAMES = ("openapi.json", "openapi.yaml", "openapi.yml", "swagger.json", "swagger.yaml")
FOLDERS = ("", "api", "docs", "spec", "openapi", "docs/api")
MAX_BYTES = 2_000_000
DEPTH = 8
_MORE = re.compile(r"(top_?)?k|limit|n|count|max_results|size|num_results", re.IGNORECASE)


def find_described(root: Path) -> Iterator[RagCandidate]:
    """Yield the operations that take a question in a JSON body."""
    for folder in FOLDERS:
        for name in NAMES:
            path = root / folder / name
            document = _read(path)
            if isinstance(document.get("paths"), dict):
                yield from _operations(document, path.relative_to(root).as_posix())


def _read(path: Path) -> Mapping[str, Any]:
    text = start_of(path, MAX_BYTES + 1)
    if not text or len(text) > MAX_BYTES:
        return {}
    try:
        document = json.loads(text) if path.suffix == ".json" else yaml.safe_load(text)
    except (ValueError, RecursionError, yaml.YAMLError):
        return {}
    return document if isinstance(document, dict) else {}


def _operations(document: Mapping[str, Any], file: str) -> Iterator[RagCandidate]:
    base = _base(document)
    for path, methods in document["paths"].items():
        operation = methods.get("post") if isinstance(methods, dict) else None
        if not isinstance(operation, dict) or "{" in str(path):
            continue
        schema = _object(_schema(operation.get("requestBody")), document)
        if names := _question_fields(schema, document):
            what = f"POST {path} of the API in {file}"
            yield _candidate(document, schema, names, f"{base}{path}", what)


def _candidate(
    document: Mapping[str, Any],
    schema: Mapping[str, Any],
    names: list[str],
    url: str,
    what: str,
) -> RagCandidate:
    return RagCandidate(
        "http",
        what,
        64,
        settings={"url": url},
        policy={"http_hosts": [urlsplit(url).netloc]},
        variants=tuple({"body": body_template(_body(schema, name, document))} for name in names),
        notes=(f"a service must run at {_base(document)}: no code of it is started",),
    )


def _question_fields(schema: Mapping[str, Any], document: Mapping[str, Any]) -> list[str]:
    """Return the fields of a body that may take the question, the likeliest first."""
    fields = schema.get("properties", {})
    texts = [name for name in fields if _kind(fields[name], document) in {"string", ""}]
    customary = questions_in(texts)
    needed = [name for name in texts if name in schema.get("required", ())]
    return customary or (needed if len(needed) == 1 else [])


def _body(
    schema: Mapping[str, Any], question: str, document: Mapping[str, Any]
) -> dict[str, object]:
    """Return the body to send, the question's field as None; what has a default is left out."""
    fields, needed = schema["properties"], schema.get("required", ())
    others = (name for name in fields if name in needed and name != question)
    stand_ins = {name: _stand_in(name, _kind(fields[name], document)) for name in others}
    return {question: None, **stand_ins}


def _stand_in(name: str, kind: str) -> object:
    if kind in {"integer", "number"}:
        return 10 if _MORE.fullmatch(name) else 1
    return {"array": [], "object": {}, "boolean": False}.get(kind, "ragate")


def _base(document: Mapping[str, Any]) -> str:
    servers = document.get("servers")
    first = servers[0] if isinstance(servers, list) and servers else {}
    url = str(first.get("url", "")) if isinstance(first, dict) else ""
    parts = urlsplit(url)
    if parts.scheme in {"http", "https"} and parts.hostname and "{" not in url:
        return url.rstrip("/")
    return f"http://127.0.0.1:8000{parts.path.rstrip('/') if '{' not in url else ''}"


def _schema(part: object) -> object:
    """Return the schema of the JSON in a request."""
    content = part.get("content") if isinstance(part, dict) else None
    media = content.get("application/json") if isinstance(content, dict) else None
    return media.get("schema") if isinstance(media, dict) else None


def _object(schema: object, document: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the schema of an object with its references followed, {} where it is none."""
    found = _meant(schema, document, lambda each: isinstance(each.get("properties"), dict))
    needed = found.get("required")
    return {**found, "required": needed if isinstance(needed, list) else []} if found else {}


def _kind(schema: object, document: Mapping[str, Any]) -> str:
    """Return the type of a field, "" where none is told."""
    found = _meant(schema, document, lambda each: each.get("type") not in {None, "", "null"})
    return str(found.get("type", ""))


def _meant(
    schema: object,
    document: Mapping[str, Any],
    fits: Callable[[Mapping[str, Any]], bool],
    depth: int = 0,
) -> Mapping[str, Any]:
    """Return the first schema that references and choices lead to and that fits, else {}."""
    if not isinstance(schema, dict) or depth > DEPTH:
        return {}
    if isinstance(schema.get("$ref"), str):
        return _meant(_resolved(schema["$ref"], document), document, fits, depth + 1)
    for choice in ("allOf", "anyOf", "oneOf"):
        if isinstance(schema.get(choice), list):
            found = (_meant(each, document, fits, depth + 1) for each in schema[choice])
            return next((each for each in found if each), {})
    return schema if fits(schema) else {}


def _resolved(reference: str, document: Mapping[str, Any]) -> object:
    """Return what a reference within the document names; others are not followed."""
    current: object = document if reference.startswith("#/") else None
    for part in reference.removeprefix("#/").split("/"):
        name = part.replace("~1", "/").replace("~0", "~")
        current = current.get(name) if isinstance(current, dict) else None
    return current
