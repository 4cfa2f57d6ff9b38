"""Headers that the code of a service demands: dependencies of FastAPI, lookups in a request."""

import ast
import re
from collections.abc import Iterator
from functools import cached_property
from pathlib import PurePosixPath

from ragate.cli.detect.python_files import Function, PythonFile, called, dotted, text_of
from ragate.cli.detect.web.wanted_header import LETS_IN, WantedHeader, header_of

DEPTH = 5
_SCHEMES = {
    "HTTPBearer": "bearer",
    "OAuth2PasswordBearer": "bearer",
    "OAuth2AuthorizationCodeBearer": "bearer",
    "OpenIdConnect": "bearer",
    "HTTPBasic": "basic",
}
_EVERY_REQUEST = re.compile(r"^(before_request|before_app_request|middleware)$")
_ROUTERS = frozenset({"APIRouter", "include_router"})
_DISPATCH = frozenset({"dispatch", "__call__"})


class HeaderReader:
    """Reads which headers a route wants, from the modules of a project, known by name."""

    def __init__(self, files: list[PythonFile]) -> None:
        self._files = files
        self._functions = {name: node for file in files for name, node in file.functions.items()}
        self._values = {name: node for file in files for name, node in file.values.items()}

    def of_route(self, file: PythonFile, line: int) -> list[WantedHeader]:
        """Return the headers that the function at a line wants, and those of every request."""
        function = self._placed.get((file.path, line))
        own = [] if function is None else self._of_function(function, 0)
        of_routers = [
            header
            for node, home in self._routers
            if _is_of(node, home, file)
            for header in self._dependencies(node, 0)
        ]
        found = {header.name.lower(): header for header in [*self._standing, *of_routers, *own]}
        return [found[name] for name in sorted(found)]

    @cached_property
    def _placed(self) -> dict[tuple[PurePosixPath, int], Function]:
        return {
            (file.path, node.lineno): node
            for file in self._files
            for node in ast.walk(file.tree)
            if isinstance(node, Function)
        }

    @cached_property
    def _routers(self) -> list[tuple[ast.Call, PythonFile]]:
        return [
            (node, file)
            for file in self._files
            for node in file.calls
            if called(node).rpartition(".")[2] in _ROUTERS
        ]

    @cached_property
    def _standing(self) -> list[WantedHeader]:
        """What is demanded of every request, by applications and by what stands before them."""
        return [header for file in self._files for header in self._of_all(file)]

    def _of_all(self, file: PythonFile) -> Iterator[WantedHeader]:
        for node in ast.walk(file.tree):
            if called(node).rpartition(".")[2] == "FastAPI":
                yield from self._dependencies(node, 0)
            elif isinstance(node, Function) and _stands_before(node):
                yield from self._of_function(node, 0)
            elif isinstance(node, ast.ClassDef) and _is_middleware(node):
                for each in node.body:
                    if isinstance(each, Function) and each.name in _DISPATCH:
                        yield from self._of_function(each, 0)

    def _of_function(self, function: Function, depth: int) -> Iterator[WantedHeader]:
        if depth > DEPTH:
            return
        yield from _looked_up(function)
        for decorator in function.decorator_list:
            yield from self._dependencies(decorator, depth)
            yield from self._named(dotted(decorator), depth + 1)
        arguments = function.args
        plain = [*arguments.posonlyargs, *arguments.args]
        defaults = dict(
            zip(plain[len(plain) - len(arguments.defaults) :], arguments.defaults, strict=True)
        )
        defaults |= {
            argument: default
            for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
            if default is not None
        }
        for argument in [*plain, *arguments.kwonlyargs]:
            for node in _markers(argument, defaults.get(argument)):
                yield from self._marker(argument.arg, node, depth)

    def _marker(self, name: str, node: ast.Call, depth: int) -> Iterator[WantedHeader]:
        """Yield what ``Header(...)``, ``Depends(x)`` or ``Security(x)`` of a parameter demands."""
        kind = called(node).rpartition(".")[2]
        if kind == "Header":
            alias = next((text_of(each.value) for each in node.keywords if each.arg == "alias"), "")
            if LETS_IN.search(alias or name):
                yield header_of(alias or name)
        elif kind in {"Depends", "Security"} and node.args:
            yield from self._demanded(node.args[0], depth + 1)

    def _dependencies(self, node: ast.AST, depth: int) -> Iterator[WantedHeader]:
        listed = node.keywords if isinstance(node, ast.Call) else []
        for keyword in listed:
            if keyword.arg == "dependencies":
                for each in getattr(keyword.value, "elts", []):
                    if isinstance(each, ast.Call):
                        yield from self._marker("", each, depth)

    def _demanded(self, node: ast.expr, depth: int) -> Iterator[WantedHeader]:
        made = called(node).rpartition(".")[2]
        if made in _SCHEMES:
            yield header_of("Authorization", hint=_SCHEMES[made])
        elif made == "APIKeyHeader" and isinstance(node, ast.Call):
            name = next((text_of(each.value) for each in node.keywords if each.arg == "name"), "")
            if name:
                yield WantedHeader(name)
        else:
            yield from self._named(dotted(node), depth)

    def _named(self, name: str, depth: int) -> Iterator[WantedHeader]:
        """Yield what stands behind a name: a scheme, or a function with demands of its own."""
        last = name.rpartition(".")[2]
        if depth > DEPTH or not last:
            return
        if last in self._functions:
            yield from self._of_function(self._functions[last], depth + 1)
        elif last in self._values:
            yield from self._demanded(self._values[last], depth + 1)


def _markers(argument: ast.arg, default: ast.expr | None) -> Iterator[ast.Call]:
    """Yield the calls that say where a parameter comes from: its default, or in ``Annotated``."""
    if isinstance(default, ast.Call):
        yield default
    if isinstance(argument.annotation, ast.Subscript):
        inner = getattr(argument.annotation.slice, "elts", [])
        yield from (node for node in inner if isinstance(node, ast.Call))


def _looked_up(function: Function) -> Iterator[WantedHeader]:
    """Yield the headers that a function takes out of a request by name."""
    text = " ".join(text_of(node) for node in ast.walk(function))
    for node in ast.walk(function):
        owner, name = "", ""
        if isinstance(node, ast.Subscript):
            owner, name = dotted(node.value), text_of(node.slice)
        elif isinstance(node, ast.Call) and node.args and called(node).endswith(".get"):
            owner, name = called(node).removesuffix(".get"), text_of(node.args[0])
        elif isinstance(node, ast.Attribute) and dotted(node) == "request.authorization":
            yield header_of("Authorization", hint=text or "basic")
        if owner.endswith("request.headers") and LETS_IN.search(name):
            yield header_of(name, hint=text)


def _is_middleware(node: ast.ClassDef) -> bool:
    return any("Middleware" in dotted(base) for base in node.bases)


def _is_of(node: ast.AST, file: PythonFile, home: PythonFile) -> bool:
    """Whether a router is made in a route's own file, or included from there by its name."""
    if file is home:
        return True
    included = dotted(node.args[0]) if isinstance(node, ast.Call) and node.args else ""
    return home.path.stem in included.split(".")


def _stands_before(function: Function) -> bool:
    return any(
        _EVERY_REQUEST.match(dotted(decorator).rpartition(".")[2])
        for decorator in function.decorator_list
    )
