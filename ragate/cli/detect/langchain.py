"""Chains, retrievers and agents of LangChain that can be named as a target."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragate.cli.detect.document_folder import documents_reader, globbed_folder
from ragate.cli.detect.found_system import FoundSystem
from ragate.cli.detect.python_files import (
    Function,
    PythonFile,
    assignments,
    called,
    dotted,
    required,
    text_of,
)


@dataclass(frozen=True)
class _Chain:
    """What a runnable is, and how it is asked.

    Attributes:
        passages: Its documents come back with the answer.
    """

    kind: str
    likelihood: int
    input_key: str = ""
    answers: bool = True
    passages: bool = True
    pointers: tuple[tuple[str, str], ...] = ()


_RETRIEVAL_QA = (
    ("answer", "/result"),
    ("contexts", "/source_documents/*/page_content"),
    ("ids", "/source_documents/*/metadata/source"),
)
_MADE_BY = {
    "create_retrieval_chain": _Chain("retrieval chain", 94, "input"),
    "RetrievalQA": _Chain("RetrievalQA chain", 90, "query", pointers=_RETRIEVAL_QA),
    "RetrievalQAWithSourcesChain": _Chain("chain with sources", 88, "question", passages=False),
    "as_retriever": _Chain("retriever", 78, answers=False),
}
_PIPE = _Chain("chain", 74, passages=False)


def find_chains(files: list[PythonFile], root: Path) -> Iterator[FoundSystem]:
    """Yield the runnables that modules hold, or that functions make."""
    for file in files:
        if not any(package.startswith("langchain") for package in file.packages):
            continue
        for name, function in file.functions.items():
            chain = _made(function) if not required(function) else None
            if chain is not None:
                where = f"{name}() in {file.path}:{function.lineno}"
                yield _candidate(file, files, root, name, chain, where, factory=True)
        for name, value in file.values.items():
            chain = _chain(value, file.values)
            if chain is not None:
                where = f"{name} in {file.path}:{value.lineno}"
                yield _candidate(file, files, root, name, chain, where, factory=False)


def _made(function: Function) -> _Chain | None:
    names = dict(assignments([n for n in ast.walk(function) if isinstance(n, ast.stmt)]))
    returns = (node.value for node in ast.walk(function) if isinstance(node, ast.Return))
    chains = (_chain(value, names) for value in returns)
    return next((chain for chain in chains if chain is not None), None)


def _chain(node: ast.expr | None, names: dict[str, ast.expr], depth: int = 0) -> _Chain | None:
    if depth > 5:
        return None
    if isinstance(node, ast.Name) and node.id in names:
        return _chain(names[node.id], names, depth + 1)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return _pipe(node)
    if not isinstance(node, ast.Call):
        return None
    owner, _, last = called(node).rpartition(".")
    name = owner.rpartition(".")[2] if last.startswith("from_") else last
    chain = _MADE_BY.get(name)
    if chain is not None and chain.pointers and not _returns_documents(node):
        return _Chain(
            chain.kind,
            chain.likelihood - 14,
            chain.input_key,
            passages=False,
            pointers=chain.pointers[:1],
        )
    return chain


def _pipe(node: ast.BinOp) -> _Chain | None:
    """Return a chain that is written as a pipe; a union of types is none."""
    first: ast.expr = node
    while isinstance(first, ast.BinOp):
        first = first.left
    parts = {called(part).rpartition(".")[2] for part in ast.walk(node)}
    names = {dotted(part).lower() for part in ast.walk(node) if isinstance(part, ast.Name)}
    telling = parts & {"StrOutputParser", "RunnablePassthrough", "RunnableParallel"}
    named = any(word in name for name in names for word in ("llm", "prompt", "chain"))
    if not (telling or named):
        return None
    keys = [
        text_of(part.args[0])
        for part in ast.walk(first)
        if isinstance(part, ast.Call) and called(part).endswith("itemgetter") and part.args
    ]
    return _Chain(_PIPE.kind, _PIPE.likelihood, next(iter(keys), ""), passages=False)


def _returns_documents(node: ast.Call) -> bool:
    return any(
        keyword.arg == "return_source_documents"
        and isinstance(keyword.value, ast.Constant)
        and keyword.value.value is True
        for keyword in node.keywords
    )


def _candidate(
    file: PythonFile,
    files: list[PythonFile],
    root: Path,
    name: str,
    chain: _Chain,
    where: str,
    *,
    factory: bool,
) -> FoundSystem:
    settings: dict[str, Any] = {"target": f"{file.module}:{name}"}
    if factory:
        settings["factory"] = True
    if chain.input_key:
        settings["input_key"] = chain.input_key
    reader = documents_reader(file, files, root)
    if chain.passages and not chain.pointers:
        settings["doc_id"] = "source"
        if reader:
            settings["doc_id_relative_to"] = reader
    if chain.pointers:
        settings["pointers"] = dict(chain.pointers)
    unsure = () if chain.passages else ("it returns a text alone: passages cannot be measured",)
    return FoundSystem(
        "python",
        f"the LangChain {chain.kind} {where}",
        chain.likelihood,
        settings=settings,
        documents=reader or globbed_folder(file, root),
        answers=chain.answers,
        passages=chain.passages,
        ids=chain.passages,
        unsure=unsure,
    )
