"""Query engines, chat engines and retrievers of LlamaIndex that can be named as a target."""

import ast
from collections.abc import Iterator
from pathlib import Path

from ragate.cli.detect.document_folder import documents_reader, globbed_folder
from ragate.cli.detect.found_system import FoundSystem
from ragate.cli.detect.python_files import (
    Function,
    PythonFile,
    assignments,
    called,
    dotted,
    required,
)

# By what makes or names it: how likely it is what the user wants to be gated.
_ENGINES = {"query engine": 95, "chat engine": 92, "retriever": 80}
_METHODS = {
    "as_query_engine": "query engine",
    "as_chat_engine": "chat engine",
    "as_retriever": "retriever",
}


def find_engines(files: list[PythonFile], root: Path) -> Iterator[FoundSystem]:
    """Yield the engines and retrievers that modules hold, or that functions make."""
    for file in files:
        if not any(package.startswith("llama_index") for package in file.packages):
            continue
        for name, function in file.functions.items():
            kind = _made(function) if not required(function) else ""
            if kind:
                shown = f"{name}() in {file.path}:{function.lineno}"
                yield _candidate(file, files, root, name, kind, shown)
        for name, value in file.values.items():
            if kind := _kind(value, {}):
                shown = f"{name} in {file.path}:{value.lineno}"
                yield _candidate(file, files, root, name, kind, shown)


def _made(function: Function) -> str:
    """Return what kind of engine a function returns, "" for anything else."""
    if kind := _of_name(dotted(function.returns)):
        return kind
    names = dict(assignments([n for n in ast.walk(function) if isinstance(n, ast.stmt)]))
    for node in ast.walk(function):
        if isinstance(node, ast.Return) and (kind := _kind(node.value, names)):
            return kind
    return ""


def _kind(node: ast.expr | None, names: dict[str, ast.expr], depth: int = 0) -> str:
    if depth > 5:
        return ""
    if isinstance(node, ast.Name) and node.id in names:
        return _kind(names[node.id], names, depth + 1)
    if isinstance(node, ast.Await):
        return _kind(node.value, names, depth + 1)
    if not isinstance(node, ast.Call):
        return ""
    owner, _, last = called(node).rpartition(".")
    if last in _METHODS:
        return _METHODS[last]
    return _of_name(owner if last.startswith("from_") else last)


def _of_name(name: str) -> str:
    """Return the kind of engine that a class is by its name."""
    last = name.rpartition(".")[2]
    if last.endswith("QueryEngine"):
        return "query engine"
    if last.endswith("ChatEngine"):
        return "chat engine"
    return "retriever" if last.endswith("Retriever") else ""


def _candidate(
    file: PythonFile, files: list[PythonFile], root: Path, name: str, kind: str, shown: str
) -> FoundSystem:
    settings: dict[str, object] = {"target": f"{file.module}:{name}"}
    reader = documents_reader(file, files, root)
    if reader is not None:
        settings["doc_id"] = "file_path"
        if reader:
            settings["doc_id_relative_to"] = reader
    return FoundSystem(
        "llamaindex",
        f"the LlamaIndex {kind} {shown}",
        _ENGINES[kind],
        settings=settings,
        documents=reader or globbed_folder(file, root),
        answers=kind != "retriever",
    )
