"""Functions of a project that take a question, and what engines and chains its modules hold."""

import ast
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ragate.cli.detect.candidate import RagCandidate, is_question, questions_in
from ragate.cli.detect.project_files import (
    Function,
    PythonFile,
    assignments,
    called,
    dotted,
    last_name,
    required,
)
from ragate.support.foreign_files import start_of
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
        made = last_name(called(value))
        if made in classes:
            node, home = classes[made]
            for method in home.methods(node).values():
                if likelihood := _likelihood(method.name, method):
                    where = f"the function {name}.{method.name}() in {home.path}:{method.lineno}"
                    yield _candidate(file, f"{name}.{method.name}", where, likelihood - 2)


def _of_classes(file: PythonFile, files: list[PythonFile]) -> Iterator[RagCandidate]:
    """Yield methods of classes that can be made without an argument."""
    held = {last_name(called(value)) for each in files for value in each.values.values()}
    for name, node in file.classes.items():
        methods = file.methods(node)
        init = methods.get("__init__")
        bases = {last_name(dotted(base)) for base in node.bases}
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
    return {last_name(name) for name in names}


def find_unmade(files: list[PythonFile]) -> Iterator[str]:
    """Yield methods that take a question, of classes that want arguments: nobody can ask these."""
    made = {name for file in files for each in file.functions.values() for name in _makes(each)}
    for file in files:
        held = {last_name(called(value)) for value in file.values.values()} | made
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
    decorators = {last_name(dotted(each)) for each in function.decorator_list}
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


# Engines, chains and graphs of LlamaIndex, LangChain and LangGraph that can be named as a
# target.


# What makes one, by the last name of the call: what it is, and how likely it is to be gated.
_LLAMAINDEX = {
    "as_query_engine": ("query engine", 95),
    "as_chat_engine": ("chat engine", 92),
    "as_retriever": ("retriever", 80),
    "QueryEngine": ("query engine", 95),
    "ChatEngine": ("chat engine", 92),
    "Retriever": ("retriever", 80),
}
_LANGCHAIN = {
    "create_retrieval_chain": ("retrieval chain", 94),
    "RetrievalQA": ("RetrievalQA chain", 90),
    "RetrievalQAWithSourcesChain": ("chain with sources", 88),
    "compile": ("compiled graph", 93),
    "create_react_agent": ("agent", 91),
    "create_agent": ("agent", 91),
    "as_retriever": ("retriever", 78),
}
_PIPE = ("chain", 74)
_MESSAGES = {"input_key": "messages", "messages_key": "messages"}
_MOST = 6
_WORD = re.compile(r"\w+")
_Kind = tuple[str, int]


def find_engines(files: list[PythonFile], root: Path) -> Iterator[RagCandidate]:
    """Yield what modules hold, or what functions without arguments make."""
    for file in files:
        for family in ("llama_index", "langchain", "langgraph"):
            if any(package.startswith(family) for package in file.packages):
                yield from _held(file, "llamaindex" if family == "llama_index" else "python")
                break
    yield from _declared(files, root)


def _held(file: PythonFile, use: str) -> Iterator[RagCandidate]:
    for name, function in file.functions.items():
        kind = _made(function, use) if not required(function) else None
        if kind is not None:
            yield _engine(file, use, name, kind, f"{name}() in {file.path}:{function.lineno}", True)
    for name, value in file.values.items():
        kind = _kind(value, file.values, use)
        if kind is not None:
            yield _engine(file, use, name, kind, f"{name} in {file.path}:{value.lineno}", False)


def _engine(
    file: PythonFile, use: str, name: str, kind: _Kind, where: str, factory: bool
) -> RagCandidate:
    settings: dict[str, Any] = {"target": f"{file.module}:{name}"}
    if use == "llamaindex":
        what = f"the LlamaIndex {kind[0]} {where}"
        by_file: tuple[Mapping[str, str], ...] = ({"doc_id": "file_path"}, {})
        return RagCandidate(use, what, kind[1], settings=settings, variants=by_file)
    if factory:
        settings["factory"] = True
    family = "LangGraph" if kind[0] == "compiled graph" else "LangChain"
    variants = input_variants(file.text, graph=family == "LangGraph" or kind[0] == "agent")
    what = f"the {family} {kind[0]} {where}"
    return RagCandidate(use, what, kind[1], settings=settings, variants=variants)


def input_variants(text: str, *, graph: bool) -> tuple[Mapping[str, str], ...]:
    """Return how a runnable may be given the question, those that its code speaks of first.

    Args:
        graph: It takes a state: a plain text is nothing for it, and a chat may be.
    """
    words = set(_WORD.findall(text))
    keys = [{"input_key": name} for name in questions_in(words - {"message"})[:4]]
    chat = [_MESSAGES] if words & {"MessagesState", "add_messages", "messages"} else []
    declared = "MessagesState" in words or "create_react_agent" in words or "create_agent" in words
    if not graph:
        first = [{"input_key": "input"}] if "create_retrieval_chain" in words else []
        ways = [*first, {}, *keys]
    else:
        ways = [*chat, *keys] if declared else [*keys, *chat]
    return tuple(way for number, way in enumerate(ways) if way not in ways[:number])[:_MOST]


def _declared(files: list[PythonFile], root: Path) -> Iterator[RagCandidate]:
    """Yield the graphs of langgraph.json: ``{"graphs": {"agent": "./src/agent.py:graph"}}``."""
    try:
        graphs = json.loads(start_of(root / "langgraph.json", 200_000) or "{}").get("graphs", {})
        named = [(str(name), str(place)) for name, place in graphs.items()]
    except (ValueError, AttributeError, RecursionError):
        return
    for name, place in named:
        path, _, target = place.removeprefix("./").rpartition(":")
        file = next((each for each in files if str(each.path) == path), None)
        if file is not None and target.isidentifier():
            function = file.functions.get(target)
            settings: dict[str, Any] = {"target": f"{file.module}:{target}"}
            if function is not None:
                settings["factory"] = True
            what = f"the graph {name!r} of langgraph.json, {target} in {file.path}"
            variants = input_variants(file.text, graph=True)
            yield RagCandidate("python", what, 96, settings=settings, variants=variants)


def _made(function: Function, use: str) -> _Kind | None:
    """Return what a function returns, None where it is nothing of the kind."""
    if use == "llamaindex" and (kind := _of_name(dotted(function.returns), use)):
        return kind
    names = dict(assignments([n for n in ast.walk(function) if isinstance(n, ast.stmt)]))
    returns = (node.value for node in ast.walk(function) if isinstance(node, ast.Return))
    kinds = (_kind(value, names, use) for value in returns)
    return next((kind for kind in kinds if kind is not None), None)


def _kind(
    node: ast.expr | None, names: Mapping[str, ast.expr], use: str, depth: int = 0
) -> _Kind | None:
    if isinstance(node, ast.Name) and node.id in names and depth < 5:
        return _kind(names[node.id], names, use, depth + 1)
    if isinstance(node, ast.Await):
        return _kind(node.value, names, use, depth + 1)
    if use == "python" and isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return _PIPE if _is_pipe(node) else None
    return _of_name(called(node), use) if isinstance(node, ast.Call) else None


def _of_name(name: str, use: str) -> _Kind | None:
    """Return the kind of what is made under a name: ``RetrieverQueryEngine.from_args``."""
    owner, _, last = name.rpartition(".")
    made_by = last_name(owner) if last.startswith("from_") else last
    if use == "python":
        if made_by == "compile" and last_name(owner) == "re":
            return None
        return _LANGCHAIN.get(made_by)
    for ending, kind in _LLAMAINDEX.items():
        if made_by == ending or (ending[0].isupper() and made_by.endswith(ending)):
            return kind
    return None


def _is_pipe(node: ast.BinOp) -> bool:
    """Whether a chain is written as a pipe; a union of types is none."""
    parts = {last_name(called(part)) for part in ast.walk(node)}
    names = {dotted(part).lower() for part in ast.walk(node) if isinstance(part, ast.Name)}
    telling = parts & {"StrOutputParser", "RunnablePassthrough", "RunnableParallel"}
    return bool(telling) or any(
        word in name for name in names for word in ("llm", "prompt", "chain")
    )
