"""Functions of a project that take a question."""

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ragate.cli.detect.document_folder import documents_reader, globbed_folder
from ragate.cli.detect.fields import pointers_of
from ragate.cli.detect.found_system import FoundSystem
from ragate.cli.detect.python_files import Function, PythonFile, called, dotted, required
from ragate.cli.detect.shapes import UNKNOWN, Fields, Parts, Shape, ShapeReader, Value

_PARAMETERS = ("question", "query", "user_question", "user_query", "q", "prompt", "message", "text")
_NAMES = (
    *("answer", "answer_question", "ask", "rag", "query", "get_answer", "generate_answer", "chat"),
    *("respond", "run_rag", "ask_question", "query_rag", "qa", "generate_response", "get_response"),
    *("retrieve_and_answer", "predict", "run", "invoke", "search", "retrieve"),
)
_RECORDED = frozenset(
    {
        "answer",
        "chunks",
        "contexts",
        "citations",
        "tool_calls",
        "usage",
        "question",
        "id",
        "latency",
    }
)
_ID_NAMES = frozenset({"doc_id", "id", "document_id"})  # as `RecordedChunk` reads them
_UNREADABLE = (
    "what it returns could not be read: it has to be a text or a dict with answer and chunks, or "
    "[system.pointers] say where they are"
)
_UNKNOWN = (
    "its code does not tell what it returns: a text, or a dict with answer and chunks, is read"
)


def find_functions(files: list[PythonFile], root: Path) -> Iterator[FoundSystem]:
    """Yield functions of modules, and methods of the objects and classes that they hold."""
    reader = ShapeReader(files)
    for file in files:
        for name, function in file.functions.items():
            if not function.decorator_list and (likelihood := _likelihood(name, function)):
                shape = reader.returned(function)
                where = f"{name}({required(function)[0].arg}) in {file.path}:{function.lineno}"
                yield _candidate(file, files, root, name, where, likelihood, shape)
        yield from _methods(file, files, root, reader)


def _methods(
    file: PythonFile, files: list[PythonFile], root: Path, reader: ShapeReader
) -> Iterator[FoundSystem]:
    """Yield methods of objects that a module makes, and classes that can be called."""
    classes = {name: node for each in files for name, node in each.classes.items()}
    homes = {name: each.path for each in files for name in each.classes}
    held = {called(value).rpartition(".")[2] for each in files for value in each.values.values()}
    for name, value in file.values.items():
        made = called(value).rpartition(".")[2]
        for method in _functions_of(classes.get(made)):
            if likelihood := _likelihood(method.name, method):
                where = f"{name}.{method.name}() in {homes[made]}:{method.lineno}"
                target = f"{name}.{method.name}"
                shape = reader.returned(method)
                yield _candidate(file, files, root, target, where, likelihood - 2, shape)
    for name, node in file.classes.items():
        methods = {method.name: method for method in _functions_of(node)}
        call, init = methods.get("__call__"), methods.get("__init__")
        bases = {dotted(base).rpartition(".")[2] for base in node.bases}
        plain = not name.startswith("_") and not (init and required(init))
        if not plain or not bases.isdisjoint({"Protocol", "ABC"}):
            continue
        if call and _is_asked(call):
            where = f"the class {name} in {file.path}:{node.lineno}"
            yield _candidate(file, files, root, name, where, 62, reader.returned(call))
        for method in [] if name in held else methods.values():
            if _is_asked(method) and (likelihood := _likelihood(method.name, method)):
                where = f"{name}().{method.name}() in {file.path}:{method.lineno}"
                target, shape = f"{name}.{method.name}", reader.returned(method)
                yield _candidate(file, files, root, target, where, likelihood - 4, shape)


def find_unmade(files: list[PythonFile]) -> Iterator[str]:
    """Yield methods that take a question, of classes that want arguments: nobody can ask these."""
    for file in files:
        held = {called(value).rpartition(".")[2] for value in file.values.values()}
        for name, node in file.classes.items():
            methods = {method.name: method for method in _functions_of(node)}
            wanted = required(methods["__init__"]) if "__init__" in methods else []
            if wanted and not name.startswith("_") and name not in held:
                names = ", ".join(argument.arg for argument in wanted)
                yield from (
                    f"{name}.{method.name}() in {file.path}:{method.lineno} ({name} wants {names})"
                    for method in methods.values()
                    if _is_asked(method) and _likelihood(method.name, method)
                )


def _functions_of(node: ast.ClassDef | None) -> list[Function]:
    return [] if node is None else [part for part in node.body if isinstance(part, Function)]


def _takes_question(function: Function) -> bool:
    arguments = required(function)
    return len(arguments) == 1 and arguments[0].arg.lower() in _PARAMETERS


def _is_asked(function: Function) -> bool:
    """Whether its argument can hardly be anything but a question."""
    return _takes_question(function) and _sure(required(function)[0].arg)


def _sure(argument: str) -> bool:
    """Whether a name says question: "text" and "message" are what any function may take."""
    return _PARAMETERS.index(argument.lower()) < _PARAMETERS.index("prompt")


def _likelihood(name: str, function: Function) -> int:
    """Return how likely a function answers questions, 0 where it does not look like it."""
    if name.startswith("_") or not _takes_question(function):
        return 0
    argument = required(function)[0].arg.lower()
    named = name.lower() in _NAMES
    sure = _sure(argument)
    return (70 if sure else 55) - _NAMES.index(name.lower()) // 2 if named else 30 if sure else 0


def _candidate(
    file: PythonFile,
    files: list[PythonFile],
    root: Path,
    target: str,
    where: str,
    likelihood: int,
    shape: Shape,
) -> FoundSystem:
    settings: dict[str, Any] = {"target": f"{file.module}:{target}"}
    pointers: dict[str, str] = {}
    unsure: tuple[str, ...] = ()
    parts = _parts(shape)
    if isinstance(shape, Fields | Parts) and not _is_recorded(shape):
        pointers = pointers_of(shape)
        parts = {name for name in ("answer", "contexts", "ids") if name in pointers}
        if not pointers:
            likelihood -= 20
            unsure = (_UNREADABLE,)
    elif shape == UNKNOWN:
        unsure = (_UNKNOWN,)
    if pointers:
        settings["pointers"] = pointers
    return FoundSystem(
        "python",
        f"the function {where}" if "class" not in where else where,
        # What brings its passages along can be measured; a text alone hardly.
        likelihood + (8 if "ids" in parts else 0),
        settings=settings,
        documents=documents_reader(file, files, root) or globbed_folder(file, root),
        answers="answer" in parts,
        passages="contexts" in parts,
        ids="ids" in parts,
        unsure=unsure,
    )


def _is_recorded(shape: Shape) -> bool:
    return (
        isinstance(shape, Fields)
        and bool(shape.fields.keys() & {"chunks", "contexts", "answer"})
        and shape.fields.keys() <= _RECORDED
        and all(_has_doc_ids(passages) is not False for passages in _passages(shape))
    )


def _passages(shape: Fields) -> list[Shape]:
    return [shape.fields[name] for name in ("chunks", "contexts") if name in shape.fields]


def _has_doc_ids(passages: Shape) -> bool | None:
    """Return whether passages say their documents, None where the code does not tell."""
    item = getattr(passages, "item", None)
    return bool(item.fields.keys() & _ID_NAMES) if isinstance(item, Fields) else None


def _parts(shape: Shape) -> set[str]:
    if isinstance(shape, Fields):
        told = "chunks" in shape.fields or any(map(_has_doc_ids, _passages(shape)))
        ids = {"ids", "contexts"} if told else set()
        return ids | ({"answer", "contexts"} & shape.fields.keys())
    return {"answer"} if isinstance(shape, Value) else set()
