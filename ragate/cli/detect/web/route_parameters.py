"""What a route takes: fields of its JSON body, or of the query of its address."""

import ast
import re

from ragate.cli.detect.fields import QUESTION
from ragate.cli.detect.python_files import (
    Function,
    assignments,
    called,
    dotted,
    required,
    text_of,
)
from ragate.cli.detect.shapes import Fields, Shape, ShapeReader, Value

# What the framework hands in.
_INJECTED = frozenset({"Request", "Response", "BackgroundTasks", "Session", "AsyncSession"})


def fields_taken(
    function: Function, reader: ShapeReader, path: str, method: str
) -> tuple[Fields, bool]:
    """Return what a route takes, and whether it stands in the address."""
    inner = set(re.findall(r"[{<](?:\w+:)?(\w+)", path))
    plain: dict[str, Shape] = {}
    needed = set()
    for argument in [*function.args.args, *function.args.kwonlyargs]:
        shape = reader.annotated(argument.annotation)
        name = dotted(argument.annotation).rpartition(".")[2] if argument.annotation else ""
        injected = name in _INJECTED or (argument.arg == "request" and not name)
        if injected or argument.arg in inner | {"self"}:
            continue
        if isinstance(shape, Fields) and shape.fields:
            return shape, method == "GET"
        plain[argument.arg] = shape
        if argument in required(function):
            needed.add(argument.arg)
    embedded = _body_parameters(function)
    if plain and (embedded or set(plain) & set(QUESTION)):
        return Fields(plain, frozenset(needed)), not embedded
    return _read_from_request(function)


def _body_parameters(function: Function) -> bool:
    """Whether parameters are fields of the body: ``question: str = Body(..., embed=True)``."""
    return any(called(default).rpartition(".")[2] == "Body" for default in function.args.defaults)


def _read_from_request(function: Function) -> tuple[Fields, bool]:
    """Return the keys that are taken out of ``await request.json()``, or of ``request.args``."""
    names = dict(assignments([n for n in ast.walk(function) if isinstance(n, ast.stmt)]))
    body: dict[str, Shape] = {}
    query: dict[str, Shape] = {}
    for node in ast.walk(function):
        owner, key = _looked_up(node)
        if not key:
            continue
        source = _source(owner, names)
        if source.endswith(("json", "get_json", "form", "loads")):
            body[key] = Value()
        elif source.endswith(("args", "query_params")):
            query[key] = Value()
    return (Fields(body), False) if body else (Fields(query), True)


def _looked_up(node: ast.AST) -> tuple[ast.expr | None, str]:
    """Return of ``x["key"]`` and ``x.get("key")`` the expression and the key."""
    if isinstance(node, ast.Subscript):
        return node.value, text_of(node.slice)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
        return (node.func.value, text_of(node.args[0])) if node.func.attr == "get" else (None, "")
    return None, ""


def _source(node: ast.expr | None, names: dict[str, ast.expr], depth: int = 0) -> str:
    """Return the dotted name of what an expression comes from."""
    if depth > 5 or node is None:
        return ""
    if isinstance(node, ast.Await):
        return _source(node.value, names, depth + 1)
    if isinstance(node, ast.BoolOp):  # request.get_json() or {}
        return _source(node.values[0], names, depth + 1)
    if isinstance(node, ast.Name) and node.id in names:
        return _source(names[node.id], names, depth + 1)
    return dotted(node)
