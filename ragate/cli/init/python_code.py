"""Which file of a Python project, which callable, with which one argument: parsed, never imported.

Nothing else is read out of code: what a function returns is seen when it is asked.
"""

import ast
import re
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ragate.cli.init.question_fields import is_question
from ragate.files.foreign_files import start_of

MAX_FILES = 400
MAX_BYTES = 300_000
_PASSED_OVER = frozenset({"examples", "migrations", "alembic", "notebooks", "evals", "docs"})
_ANSWERS = frozenset({"answer", "answers", "ask", "chat", "rag", "qa", "respond"})
_STEPS = (ast.Expr, ast.For, ast.If, ast.Try, ast.With)
_APP = re.compile(
    r"^(?:(?P<instance>\w+)\b[^=\n]*=\s*(?:\w+\.)?(?:FastAPI|Starlette|Flask|Quart)\("
    r"|(?P<app>app)\s*=\s*\w+\("
    r"|def (?P<factory>(?:create|make|build|get|init)_(?:\w+_)?app)\()",
    re.MULTILINE,
)
_FRAMEWORK = re.compile(r"\b(FastAPI|Starlette|Flask|Quart)\b")
_LIBRARY = re.compile(
    r"^(?:import|from)\s+(llama_index|langchain|langgraph|haystack|dspy|txtai|chromadb|faiss|openai"
    r"|ollama|sentence_transformers|qdrant_client|pinecone|weaviate)",
    re.MULTILINE,
)
_ASKS = re.compile(r"quer|chat|bot|answer|search|(?<![a-z])(?:ask|rag)|rag(?![a-z])")
_ARGUMENT = re.compile(r"add_argument\(\s*[\"'](-{0,2})([\w-]+)[\"']")
_VARIABLE = re.compile(
    r"(?:environ(?:\.get)?|getenv)\s*[\[(]\s*[\"']([A-Z][A-Z0-9_]{2,60})|process\.env\.([A-Z]\w+)"
)
# What a client reads by itself where the code names no variable.
_CLIENT = re.compile(
    r"^\s*(?:import|from)\s+(?:langchain_|llama_index\.\w+\.)?(openai|anthropic|cohere)\b", re.M
)
_SECRET = re.compile(r"KEY|(?<!TIK)TOKEN(?!IZER)|SECRET|CREDENTIAL|PRIVATE|PASSW", re.IGNORECASE)
_KEY = re.compile(r"(?:KEY|(?<!TIK)TOKEN|SECRET|CREDENTIALS?|PASSWORD)(?:_|$)")
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Named:
    """Something of a module that can be imported.

    Attributes:
        path: Of its file, below the root.
        folder: What it is imported from, below the root; "." for the root.
    """

    path: PurePosixPath
    folder: str
    name: str

    @property
    def module(self) -> str:
        """Its dotted name, as it is imported from `folder`."""
        return module_of(self.path, self.folder)


@dataclass(frozen=True)
class Called(Named):
    """A callable that takes one question: a function, or a class with a method for questions.

    Attributes:
        line: Where it begins.
        sure: A function whose name speaks of answers, its argument of a question.
    """

    line: int = 1
    sure: bool = False


@dataclass(frozen=True)
class App(Named):
    """An application of a web framework, or the function that makes it."""

    framework: str = ""
    factory: bool = False


@dataclass(frozen=True)
class LibraryUser(Named):
    """A file that uses a library of the field: what of it answers is for a person to say."""

    library: str = ""


@dataclass(frozen=True)
class PythonCode:
    """What the files of a project hold, the likeliest first.

    Attributes:
        candidates: Files that use a library of the field.
        programs: Commands that take a question: ``python ask.py --question``.
        variables: Names of variables that the code reads.
    """

    callables: tuple[Called, ...] = ()
    apps: tuple[App, ...] = ()
    candidates: tuple[LibraryUser, ...] = ()
    programs: tuple[str, ...] = ()
    variables: tuple[str, ...] = ()


def read_code(root: Path, files: Iterable[PurePosixPath]) -> PythonCode:
    """Return what of a project can be called; nothing of it is run."""
    sources = [file for file in files if file.suffix == ".py" and _is_read(file)]
    callables: list[Called] = []
    apps: list[App] = []
    candidates: list[LibraryUser] = []
    programs: list[str] = []
    variables: set[str] = set()
    for file in sorted(sources, key=lambda path: (len(path.parts), path))[:MAX_FILES]:
        text = start_of(root / file, MAX_BYTES + 1)
        tree = _parsed(text) if len(text) <= MAX_BYTES else None
        if tree is None:
            continue
        folder = _imported_from(root, file, tree)
        callables += _callables(tree, file, folder)
        apps += _apps(text, file, folder)
        if library := _LIBRARY.search(text):
            candidates.append(LibraryUser(file, folder, "…", library[1]))
        programs += _programs(text, file)
        variables |= variables_in(text)

    callables.sort(key=lambda called: not called.sure)
    # FastAPI describes itself when it is asked; of two, one may take files alone.
    apps.sort(key=lambda app: (app.framework != "FastAPI", not _asks(app.path)))
    candidates.sort(key=_by_name)
    return PythonCode(
        callables=tuple(callables),
        apps=tuple(apps),
        candidates=tuple(candidates),
        programs=tuple(programs),
        variables=tuple(sorted(variables)),
    )


def _by_name(candidate: LibraryUser) -> tuple[bool, int]:
    path = candidate.path
    return not _asks(PurePosixPath(path.name)), len(path.parts)


def _asks(file: PurePosixPath) -> bool:
    return bool(_ASKS.search(str(file.with_suffix("")).lower()))


def _is_read(file: PurePosixPath) -> bool:
    names = file.with_suffix("").parts
    plain = all(name.isidentifier() for name in names) and _PASSED_OVER.isdisjoint(names)
    return plain and not file.name.startswith(("test_", "ragate_"))


def does_something(source: str) -> bool:
    """Whether a file ends in a step, where a module for others ends in what it defines."""
    tree = _parsed(source)
    return tree is not None and isinstance(tree.body[-1] if tree.body else None, _STEPS)


def _parsed(source: str) -> ast.Module | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an odd escape in foreign code is not ours to tell
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _callables(tree: ast.Module, file: PurePosixPath, folder: str) -> Iterator[Called]:
    """Yield functions of the module that take a question, and classes that have such a method."""
    for node in tree.body:
        if isinstance(node, Function) and _takes_question(node):
            (argument,) = _needed(node)
            words = set(re.findall(r"[a-z]+", node.name.lower()))
            answers = not words.isdisjoint(_ANSWERS)
            runs_question = "question" in argument and not words.isdisjoint({"query", "run"})
            # A decorator may have made it something else; what yields is no text.
            plain = not node.decorator_list and not any(map(_yields, ast.walk(node)))
            sure = plain and (answers or runs_question)
            yield Called(file, folder, node.name, node.lineno, sure)
        elif isinstance(node, ast.ClassDef):
            methods = [part for part in node.body if isinstance(part, Function)]
            if any(map(_takes_question, methods)):
                yield Called(file, folder, node.name, node.lineno)


def _takes_question(function: Function) -> bool:
    names = _needed(function)
    return not function.name.startswith("_") and len(names) == 1 and is_question(names[0])


def _needed(function: Function) -> list[str]:
    """Return the parameters that a call has to give, but for ``self``."""
    positional = [*function.args.posonlyargs, *function.args.args]
    required = positional[: len(positional) - len(function.args.defaults)]
    keyword_only = zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True)
    required += [argument for argument, default in keyword_only if default is None]
    return [argument.arg for argument in required if argument.arg not in {"self", "cls"}]


def _yields(node: ast.AST) -> bool:
    return isinstance(node, ast.Yield | ast.YieldFrom)


def _apps(text: str, file: PurePosixPath, folder: str) -> Iterator[App]:
    framework = _FRAMEWORK.search(text)
    app = _APP.search(text)
    if framework and app:
        name = app["instance"] or app["app"] or app["factory"]
        yield App(file, folder, name, framework[1], factory=bool(app["factory"]))


def _programs(text: str, file: PurePosixPath) -> Iterator[str]:
    for dashes, name in _ARGUMENT.findall(text):
        if is_question(name):
            yield f"python {file} {dashes}{name}" if dashes else f"python {file}"


def variables_in(text: str) -> set[str]:
    """Return the names of variables that some code reads, those of known clients too."""
    by_name = {match[1] or match[2] for match in _VARIABLE.finditer(text)}
    by_client = {f"{match[1].upper()}_API_KEY" for match in _CLIENT.finditer(text)}
    return by_name | by_client


def is_secret(name: str) -> bool:
    """Return whether a variable's name may speak of a key, token, secret or password."""
    return bool(_SECRET.search(name))


def is_key(name: str) -> bool:
    """Return whether a variable's name surely speaks of one of these, unlike ``MAX_TOKENS``."""
    return bool(_KEY.search(name))


def _imported_from(root: Path, file: PurePosixPath, tree: ast.Module) -> str:
    """Return the folder that a file's own imports lead to: ``backend`` of ``backend/app/a.py``."""
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.partition(".")[0])
    for folder in file.parents:
        here = root / folder
        if any((here / name).is_dir() or (here / f"{name}.py").is_file() for name in names):
            return str(folder)

    packages = [folder for folder in file.parents if (root / folder / "__init__.py").is_file()]
    if packages:
        return str(packages[-1].parent)
    return "src" if file.parts[0] == "src" else "."


def module_of(file: PurePosixPath, folder: str) -> str:
    """Return the dotted name of a file, as it is imported from a folder."""
    parts = list(file.relative_to(folder).with_suffix("").parts)
    if parts[-1] == "__init__" and len(parts) > 1:
        parts.pop()
    return ".".join(parts)
