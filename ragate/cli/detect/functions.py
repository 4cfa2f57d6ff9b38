"""Functions of a project that take a question."""

import ast
from collections.abc import Iterator, Mapping

from ragate.cli.detect.candidate import RagCandidate, is_question
from ragate.cli.detect.python_files import Function, PythonFile, called, dotted, required
from ragate.worker.function import TURNS

_NAMES = (
    *("answer", "answer_question", "ask", "rag", "query", "get_answer", "generate_answer", "chat"),
    *("respond", "run_rag", "ask_question", "query_rag", "qa", "generate_response", "get_response"),
    *("retrieve_and_answer", "predict", "run", "invoke", "search", "retrieve"),
)
_WORDS = frozenset(
    {"ask", "answer", "answers", "query", "chat", "rag", "qa", "question", "respond"}
)
# What a decorator makes of a function that is asked in another way, or by nobody.
_OTHERWISE = frozenset(
    {"route", "get", "post", "put", "api_route", "command", "fixture", "property", "tool"}
)

_Classes = Mapping[str, tuple[ast.ClassDef, PythonFile]]  # by name, with the file of each


def find_functions(files: list[PythonFile]) -> Iterator[RagCandidate]:
    """Yield functions of modules, and methods of the objects and classes that they hold."""
    classes = {name: (node, file) for file in files for name, node in file.classes.items()}
    for file in files:
        for name, function in file.functions.items():
            if likelihood := _likelihood(name, function):
                where = f"{name}({required(function)[0].arg}) in {file.path}:{function.lineno}"
                yield _candidate(file, name, f"the function {where}", likelihood)
        yield from _of_objects(file, classes)
        yield from _of_classes(file, files)
        yield from _of_makers(file, classes)


def _of_objects(file: PythonFile, classes: _Classes) -> Iterator[RagCandidate]:
    """Yield methods of objects that a module makes."""
    for name, value in file.values.items():
        made = called(value).rpartition(".")[2]
        if made in classes:
            node, home = classes[made]
            for method in home.methods(node).values():
                if likelihood := _likelihood(method.name, method):
                    where = f"the function {name}.{method.name}() in {home.path}:{method.lineno}"
                    yield _candidate(file, f"{name}.{method.name}", where, likelihood - 2)


def _of_classes(file: PythonFile, files: list[PythonFile]) -> Iterator[RagCandidate]:
    """Yield methods of classes that can be made without an argument."""
    held = {called(value).rpartition(".")[2] for each in files for value in each.values.values()}
    for name, node in file.classes.items():
        methods = file.methods(node)
        init = methods.get("__init__")
        bases = {dotted(base).rpartition(".")[2] for base in node.bases}
        plain = not name.startswith("_") and not (init and required(init))
        if not plain or not bases.isdisjoint({"Protocol", "ABC"}):
            continue
        call = methods.get("__call__")
        if call and _is_asked(call):
            yield _candidate(file, name, f"the class {name} in {file.path}:{node.lineno}", 62)
        for method in [] if name in held else methods.values():
            if _is_asked(method) and (likelihood := _likelihood(method.name, method)):
                where = f"the function {name}().{method.name}() in {file.path}:{method.lineno}"
                yield _candidate(file, f"{name}.{method.name}", where, likelihood - 4)


def _of_makers(file: PythonFile, classes: _Classes) -> Iterator[RagCandidate]:
    """Yield methods of what functions without an argument make."""
    for maker, function in file.functions.items():
        for node, home in (classes[name] for name in sorted(_makes(function) & classes.keys())):
            for method in home.methods(node).values():
                if _is_asked(method) and (likelihood := _likelihood(method.name, method)):
                    where = f"the function {maker}().{method.name}() in {home.path}:{method.lineno}"
                    yield _candidate(file, f"{maker}().{method.name}", where, likelihood - 3)


def _makes(function: Function) -> set[str]:
    """Return the names of classes that a function without an argument makes an object of."""
    if required(function):
        return set()
    returned = [node.value for node in ast.walk(function) if isinstance(node, ast.Return)]
    names = {called(value) for value in returned if value} | {dotted(function.returns)}
    return {name.rpartition(".")[2] for name in names}


def find_unmade(files: list[PythonFile]) -> Iterator[str]:
    """Yield methods that take a question, of classes that want arguments: nobody can ask these."""
    made = {name for file in files for each in file.functions.values() for name in _makes(each)}
    for file in files:
        held = {called(value).rpartition(".")[2] for value in file.values.values()} | made
        for name, node in file.classes.items():
            methods = file.methods(node)
            wanted = required(methods["__init__"]) if "__init__" in methods else []
            if wanted and not name.startswith("_") and name not in held:
                names = ", ".join(argument.arg for argument in wanted)
                yield from (
                    f"{name}.{method.name}() in {file.path}:{method.lineno} ({name} wants {names})"
                    for method in methods.values()
                    if _is_asked(method) and _likelihood(method.name, method)
                )


def _takes_question(function: Function) -> bool:
    first, *others = [argument.arg for argument in required(function)] or [""]
    return is_question(first) and len(others) < 2 and {*others} <= {*TURNS}


def _is_asked(function: Function) -> bool:
    """Whether its argument can hardly be anything but a question."""
    return _takes_question(function) and is_question(required(function)[0].arg, surely=True)


def _likelihood(name: str, function: Function) -> int:
    """Return how likely a function answers questions, 0 where it does not look like it."""
    decorators = {dotted(each).rpartition(".")[2] for each in function.decorator_list}
    if name.startswith("_") or not _takes_question(function) or decorators & _OTHERWISE:
        return 0
    sure = is_question(required(function)[0].arg, surely=True)
    if name.lower() in _NAMES:
        return (70 if sure else 55) - _NAMES.index(name.lower()) // 2
    if _WORDS & set(name.lower().split("_")):
        return 58 if sure else 46
    return 30 if sure else 0


def _candidate(file: PythonFile, path: str, what: str, likelihood: int) -> RagCandidate:
    settings = {"target": f"{file.module}:{path}"}
    return RagCandidate("python", what, likelihood, settings=settings, variants=file.variants(path))
