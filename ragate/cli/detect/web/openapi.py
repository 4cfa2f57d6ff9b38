"""Descriptions of an API (OpenAPI 3) as candidates: a service that runs already."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from ragate.cli.detect.fields import body_of, body_template, pointers_of, question_field
from ragate.cli.detect.found_system import FoundSystem
from ragate.cli.detect.shapes import UNKNOWN, Fields, Items, Shape, Value
from ragate.cli.detect.web.described_headers import described_headers
from ragate.cli.detect.web.wanted_header import with_headers

NAMES = ("openapi.json", "openapi.yaml", "openapi.yml", "swagger.json", "swagger.yaml")
FOLDERS = ("", "api", "docs", "spec", "openapi", "docs/api")
MAX_BYTES = 2_000_000
DEPTH = 8


def find_described(root: Path) -> Iterator[FoundSystem]:
    """Yield the operations that take a question in a JSON body."""
    for folder in FOLDERS:
        for name in NAMES:
            path = root / folder / name
            if not path.is_symlink() and path.is_file() and path.stat().st_size <= MAX_BYTES:
                document = _read(path)
                if isinstance(document.get("paths"), dict):
                    yield from _operations(document, path.relative_to(root).as_posix())


def _read(path: Path) -> Mapping[str, Any]:
    try:
        text = path.read_text(encoding="utf-8")
        if path.suffix == ".json":
            document = json.loads(text)
        else:
            import yaml

            document = yaml.safe_load(text)
    except (OSError, ValueError, RecursionError):
        return {}
    except Exception as error:
        if type(error).__module__.startswith("yaml"):
            return {}
        raise
    return document if isinstance(document, dict) else {}


def _operations(document: Mapping[str, Any], file: str) -> Iterator[FoundSystem]:
    base = _base(document)
    for path, methods in document["paths"].items():
        operation = methods.get("post") if isinstance(methods, dict) else None
        if not isinstance(operation, dict) or "{" in str(path):
            continue
        takes = _shape(_schema(operation.get("requestBody")), document)
        if not isinstance(takes, Fields) or not question_field(takes):
            continue
        yield _candidate(document, operation, f"{base}{path}", f"POST {path} of the API in {file}")


def _candidate(
    document: Mapping[str, Any], operation: Mapping[str, Any], url: str, what: str
) -> FoundSystem:
    """Return an operation, whose question's field is known, with what has to be sent to it."""
    takes = _shape(_schema(operation.get("requestBody")), document)
    assert isinstance(takes, Fields)
    replies = operation.get("responses")
    reply = replies.get("200", replies.get(200)) if isinstance(replies, dict) else None
    pointers = pointers_of(_shape(_schema(reply), document))
    body, guessed = body_of(takes, question_field(takes))
    headers, others = described_headers(document, operation)
    found = FoundSystem(
        "http",
        what,
        56 + 8 * ("ids" in pointers) + 4 * ("answer" in pointers),
        settings={
            "url": url,
            "body": body_template(body),
            "pointers": pointers or {"answer": "/answer"},
        },
        policy={"http_hosts": [urlsplit(url).netloc]},
        answers="answer" in pointers or not pointers,
        passages="contexts" in pointers,
        ids="ids" in pointers,
        unsure=(
            *(f"the body's {name} is a guess" for name in guessed),
            f"a service must run at {_base(document)}: no code of it is started",
            *(f"it demands {each}, which ragate cannot send" for each in others),
        ),
    )
    return with_headers(found, headers)


def _base(document: Mapping[str, Any]) -> str:
    servers = document.get("servers")
    first = servers[0] if isinstance(servers, list) and servers else {}
    url = str(first.get("url", "")) if isinstance(first, dict) else ""
    parts = urlsplit(url)
    if parts.scheme in {"http", "https"} and parts.hostname and "{" not in url:
        return url.rstrip("/")
    return f"http://127.0.0.1:8000{parts.path.rstrip('/') if '{' not in url else ''}"


def _schema(part: object) -> object:
    """Return the schema of the JSON in a request or a reply."""
    content = part.get("content") if isinstance(part, dict) else None
    media = content.get("application/json") if isinstance(content, dict) else None
    return media.get("schema") if isinstance(media, dict) else None


def _shape(schema: object, document: Mapping[str, Any], depth: int = 0) -> Shape:
    if not isinstance(schema, dict) or depth > DEPTH:
        return UNKNOWN
    if isinstance(schema.get("$ref"), str):
        return _shape(_resolved(schema["$ref"], document), document, depth + 1)
    for choice in ("allOf", "anyOf", "oneOf"):
        if isinstance(schema.get(choice), list) and schema[choice]:
            shapes = [_shape(each, document, depth + 1) for each in schema[choice]]
            return max(shapes, key=lambda shape: isinstance(shape, Fields | Items))
    if isinstance(schema.get("properties"), dict):
        fields = {
            str(name): _shape(each, document, depth + 1)
            for name, each in schema["properties"].items()
        }
        needed = schema.get("required")
        return Fields(fields, frozenset(map(str, needed if isinstance(needed, list) else ())))
    if schema.get("type") == "array":
        return Items(_shape(schema.get("items"), document, depth + 1))
    return Value(str(schema.get("type") or ""))


def _resolved(reference: str, document: Mapping[str, Any]) -> object:
    """Return what a reference within the document names; others are not followed."""
    current: object = document if reference.startswith("#/") else None
    for part in reference.removeprefix("#/").split("/"):
        name = part.replace("~1", "/").replace("~0", "~")
        current = current.get(name) if isinstance(current, dict) else None
    return current
