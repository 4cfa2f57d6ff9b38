"""What a function returns or takes, as far as its code tells: the shape of its JSON."""

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from ragate.cli.detect.python_files import Function, PythonFile, assignments, called, dotted

DEPTH = 8
_TEXTS = frozenset({"str", "AnyUrl", "HttpUrl"})
_LISTS = frozenset({"list", "List", "Sequence", "tuple", "set", "Iterable"})
_OPEN = frozenset({"Optional", "Annotated", "Final"})
# Calls that put a JSON value into a response.
_WRAPPED = frozenset({"JSONResponse", "jsonify", "ORJSONResponse", "dict", "Response"})


@dataclass(frozen=True)
class Value:
    """A text, a number, a flag, or what is not known.

    Attributes:
        kind: Its type's name, "" where it is not known.
    """

    kind: str = ""


@dataclass(frozen=True)
class Fields:
    """An object with these fields; `required` are those without a default."""

    fields: Mapping[str, "Shape"]
    required: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Items:
    """A list of items of one shape."""

    item: "Shape"


@dataclass(frozen=True)
class Parts:
    """A tuple with these parts."""

    parts: tuple["Shape", ...]


Shape = Value | Fields | Items | Parts
UNKNOWN = Value()


class ShapeReader:
    """Reads shapes from the code of some modules, whose classes it knows by name."""

    def __init__(self, files: list[PythonFile]) -> None:
        self._classes = {name: node for file in files for name, node in file.classes.items()}
        self._functions = {name: node for file in files for name, node in file.functions.items()}

    def returned(self, function: Function, *, depth: int = 0) -> Shape:
        """Return the shape of what a function returns: by its annotation, else by its code."""
        annotated = self.annotated(function.returns, depth=depth)
        if isinstance(annotated, Fields | Parts) and annotated != Fields({}):
            return annotated
        names = dict(assignments([n for n in ast.walk(function) if isinstance(n, ast.stmt)]))
        returns = [n.value for n in ast.walk(function) if isinstance(n, ast.Return) and n.value]
        shapes = [self.expression(value, names, depth=depth + 1) for value in returns]
        telling = [shape for shape in shapes if isinstance(shape, Fields | Items | Parts)]
        # Of several the richest: the others are early ways out.
        richest = max(telling, key=_size, default=UNKNOWN)
        if richest == UNKNOWN:
            return next((shape for shape in shapes if shape != UNKNOWN), annotated)
        return richest

    def annotated(self, node: ast.expr | None, *, depth: int = 0) -> Shape:
        """Return the shape that a type says."""
        if node is None or depth > DEPTH:
            return UNKNOWN
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            return self._annotated_text(node.value, depth)
        if isinstance(node, ast.BinOp):  # X | None
            sides = (self.annotated(side, depth=depth + 1) for side in (node.left, node.right))
            return next((side for side in sides if side not in (UNKNOWN, Value("None"))), UNKNOWN)
        if isinstance(node, ast.Subscript):
            return self._generic(node, depth)
        name = dotted(node).rpartition(".")[2]
        if name in self._classes:
            return self._class(self._classes[name], depth)
        return Value("str") if name in _TEXTS else Value(name)

    def expression(self, node: ast.expr, names: Mapping[str, ast.expr], *, depth: int) -> Shape:
        """Return the shape of an expression.

        Args:
            names: What is assigned to the names around it.
        """
        if depth > DEPTH:
            return UNKNOWN
        if isinstance(node, ast.Dict):
            keys = [key.value if isinstance(key, ast.Constant) else None for key in node.keys]
            pairs = zip(keys, node.values, strict=True)
            return Fields(
                {
                    key: self.expression(value, names, depth=depth + 1)
                    for key, value in pairs
                    if isinstance(key, str)
                }
            )
        if isinstance(node, ast.List | ast.ListComp):
            item = node.elt if isinstance(node, ast.ListComp) else next(iter(node.elts), None)
            known = UNKNOWN if item is None else self.expression(item, names, depth=depth + 1)
            return Items(known)
        if isinstance(node, ast.Tuple):
            return Parts(tuple(self.expression(part, names, depth=depth + 1) for part in node.elts))
        if isinstance(node, ast.Constant | ast.JoinedStr):
            return Value("str" if isinstance(node, ast.JoinedStr) else type(node.value).__name__)
        if isinstance(node, ast.Name) and node.id in names:
            return self.expression(names[node.id], names, depth=depth + 1)
        if isinstance(node, ast.Await):
            return self.expression(node.value, names, depth=depth + 1)
        return self._call(node, names, depth) if isinstance(node, ast.Call) else UNKNOWN

    def _call(self, node: ast.Call, names: Mapping[str, ast.expr], depth: int) -> Shape:
        name = called(node).rpartition(".")[2]
        if name in self._classes:
            return self._class(self._classes[name], depth)
        if name in self._functions and "." not in called(node):
            return self.returned(self._functions[name], depth=depth + 1)
        if name in _WRAPPED and node.args:
            return self.expression(node.args[0], names, depth=depth + 1)
        if name in _WRAPPED and node.keywords:
            pairs = [(keyword.arg, keyword.value) for keyword in node.keywords if keyword.arg]
            inner = dict(pairs).get("content")
            if inner is not None:
                return self.expression(inner, names, depth=depth + 1)
            return Fields({k: self.expression(v, names, depth=depth + 1) for k, v in pairs})
        if name == "list" and node.args:
            return Items(UNKNOWN)
        return Value("str") if name in {"str", "join", "strip"} else UNKNOWN

    def _annotated_text(self, text: str, depth: int) -> Shape:
        try:
            return self.annotated(ast.parse(text, mode="eval").body, depth=depth + 1)
        except (SyntaxError, ValueError):
            return UNKNOWN

    def _generic(self, node: ast.Subscript, depth: int) -> Shape:
        name = dotted(node.value).rpartition(".")[2]
        inner = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if name == "tuple" and not isinstance(inner[-1], ast.Constant):
            return Parts(tuple(self.annotated(part, depth=depth + 1) for part in inner))
        if name in _LISTS:
            return Items(self.annotated(inner[0], depth=depth + 1))
        if name in _OPEN:
            return self.annotated(inner[0], depth=depth + 1)
        return Fields({}) if name in {"dict", "Dict", "Mapping"} else UNKNOWN

    def _class(self, node: ast.ClassDef, depth: int) -> Fields:
        fields: dict[str, Shape] = {}
        needed: set[str] = set()
        for base in node.bases:
            inherited = self._classes.get(dotted(base).rpartition(".")[2])
            if inherited is not None and inherited is not node and depth < DEPTH:
                above = self._class(inherited, depth + 1)
                fields |= above.fields
                needed |= above.required
        for part in node.body:
            if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
                fields[part.target.id] = self.annotated(part.annotation, depth=depth + 1)
                if part.value is None or _is_ellipsis(part.value):
                    needed.add(part.target.id)
        return Fields(fields, frozenset(needed))


def _is_ellipsis(value: ast.expr) -> bool:
    """Whether a default says that there is none: ``Field(...)``."""
    if isinstance(value, ast.Call) and called(value).rpartition(".")[2] == "Field":
        named = {keyword.arg for keyword in value.keywords}
        if not value.args:
            return named.isdisjoint({"default", "default_factory"})
        return _is_ellipsis(value.args[0])
    return isinstance(value, ast.Constant) and value.value is Ellipsis


def _size(shape: Shape) -> int:
    if isinstance(shape, Fields):
        return 1 + sum(map(_size, shape.fields.values()))
    if isinstance(shape, Items):
        return 1 + _size(shape.item)
    return 1 + sum(map(_size, shape.parts)) if isinstance(shape, Parts) else 1
