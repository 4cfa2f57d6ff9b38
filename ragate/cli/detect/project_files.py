"""The files of a project, read or parsed: bounded in number and size, and no link is followed."""

import ast
import json
import os
import re
import shutil
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any

from ragate.support.foreign_files import first_bytes, start_of

MAX_FILES = 400
MAX_BYTES = 300_000
MAX_TOTAL = 20_000_000
MAX_FOLDERS = 5_000
DEPTH = 5
PASSED_OVER = frozenset(
    {"node_modules", "venv", "env", "site-packages", "dist", "build", "target", "vendor"}
    | {"htmlcov", "coverage", "__pycache__", "test", "tests", "migrations", "examples"}
)
Function = ast.FunctionDef | ast.AsyncFunctionDef
FOLDERS = (".venv", "venv", "env")
MOST_NAMES = 20
_NAME = re.compile(r"[A-Z][A-Z0-9_]{2,60}")
# These reach every process.
_ALWAYS = frozenset({"PATH", "HOME", "USER", "LOGNAME", "TMPDIR", "TMP", "TEMP", "TZ", "LANG"})
# What a client reads by itself where its code names no variable.
_KEYS = {
    "openai": "OPENAI_API_KEY",
    "langchain_openai": "OPENAI_API_KEY",
    "anthropic": "ANTHROPIC_API_KEY",
    "langchain_anthropic": "ANTHROPIC_API_KEY",
    "cohere": "COHERE_API_KEY",
}
_BY_MODULE = re.compile(r"llama_index\.(llms|embeddings)\.openai\b")
SCRIPTS = frozenset({".js", ".mjs", ".cjs", ".ts", ".mts", ".cts"})
_LINE_COMMENT = re.compile(r"(?m)^[ \t]*//[^\n]*")
# Only at the start of a line: elsewhere these signs stand in patterns and media types.
_COMMENT = re.compile(r"(?m)^[ \t]*/\*")
_TESTS = re.compile(r"\.(test|spec|config|d)\.\w+$|^ragate[-_]")


@dataclass(frozen=True)
class PythonFile:
    """One module that was parsed.

    Attributes:
        path: Relative to the project. module: Its dotted name, as it is imported from there.
        text: Its source.
    """

    path: PurePosixPath
    module: str
    tree: ast.Module
    text: str = ""

    @cached_property
    def statements(self) -> list[ast.stmt]:
        """What runs when the module is imported: not what follows ``if __name__ == ...``."""
        return list(_imported(self.tree.body))

    @cached_property
    def functions(self) -> dict[str, Function]:
        """The functions of the module, by name."""
        return {node.name: node for node in self.statements if isinstance(node, Function)}

    @cached_property
    def classes(self) -> dict[str, ast.ClassDef]:
        """The classes of the module, by name."""
        return {node.name: node for node in self.statements if isinstance(node, ast.ClassDef)}

    @cached_property
    def values(self) -> dict[str, ast.expr]:
        """What is assigned to each name of the module; the last counts."""
        return dict(assignments(self.statements))

    @cached_property
    def packages(self) -> frozenset[str]:
        """The top-level packages that the module imports."""
        return frozenset(name.partition(".")[0] for name in self._imports())

    @cached_property
    def calls(self) -> list[ast.Call]:
        """Every call in the module."""
        return [node for node in ast.walk(self.tree) if isinstance(node, ast.Call)]

    def methods(self, node: ast.ClassDef) -> dict[str, Function]:
        """Return the functions of a class, by name."""
        return {part.name: part for part in node.body if isinstance(part, Function)}

    def variants(self, name: str) -> tuple[dict[str, str], ...]:
        """Return other targets: what lies below ``src`` may be installed or not."""
        if self.path.parts[0] != "src" or self.module.startswith("src."):
            return ()
        return ({"target": f"{self.module}:{name}"}, {"target": f"src.{self.module}:{name}"})

    def _imports(self) -> Iterator[str]:
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                yield node.module


def python_files(root: Path) -> list[PythonFile]:
    """Return the modules below `root` that can be imported from there, shallow ones first."""
    files: list[PythonFile] = []
    total = 0
    for path in _paths(root, frozenset({".py"}), _is_importable):
        source = _source(root / path)
        total += len(source)
        if total > MAX_TOTAL:
            break
        tree = _parsed(source)
        if tree is not None:
            text = source.decode("utf-8", "replace")
            files.append(PythonFile(path, _module(path), tree, text))
    return files


def assignments(statements: list[ast.stmt]) -> Iterator[tuple[str, ast.expr]]:
    """Yield the names that statements of one block assign to, with the values."""
    for node in statements:
        if isinstance(node, ast.Assign):
            yield from (
                (target.id, node.value) for target in node.targets if isinstance(target, ast.Name)
            )
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
            yield node.target.id, node.value


def called(node: ast.AST | None) -> str:
    """Return the dotted name that a call names, "" for anything else: ``index.as_retriever``."""
    return dotted(node.func) if isinstance(node, ast.Call) else ""


def dotted(node: ast.AST | None) -> str:
    """Return the dotted name of an expression; calls on the way are left out."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        owner = dotted(node.value)
        return f"{owner}.{node.attr}" if owner else f".{node.attr}"
    return called(node)


def last_name(dotted_name: str) -> str:
    """Return what stands behind the last dot."""
    return dotted_name.rpartition(".")[2]


def text_of(node: ast.AST | None) -> str:
    """Return a text that stands in the code, "" for anything else."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def required(function: Function) -> list[ast.arg]:
    """Return the parameters that a call has to give, but for ``self``."""
    plain = [*function.args.posonlyargs, *function.args.args]
    given = plain[: len(plain) - len(function.args.defaults)]
    keyword = zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True)
    named = [*given, *(argument for argument, default in keyword if default is None)]
    return [argument for argument in named if argument.arg not in {"self", "cls"}]


def _imported(statements: list[ast.stmt]) -> Iterator[ast.stmt]:
    for node in statements:
        if isinstance(node, ast.If):
            if not any(dotted(part) == "__name__" for part in ast.walk(node.test)):
                yield from _imported([*node.body, *node.orelse])
        elif isinstance(node, ast.Try):
            yield from _imported(node.body)
        else:
            yield node


def _paths(
    root: Path, suffixes: frozenset[str], fits: Callable[[PurePosixPath], bool]
) -> list[PurePosixPath]:
    """Return the files with such names that fit, shallow ones first; no link is among them."""
    found: list[PurePosixPath] = []
    for count, (path, folders, names) in enumerate(os.walk(root)):
        if count > MAX_FOLDERS:
            break
        folder = PurePosixPath(Path(path).relative_to(root).as_posix())
        entered = [name for name in folders if _is_entered(Path(path, name))]
        folders[:] = sorted(entered) if len(folder.parts) < DEPTH else []
        sources = [folder / name for name in names if Path(name).suffix in suffixes]
        found += [file for file in sources if fits(file) and not (root / file).is_symlink()]
    return sorted(found, key=lambda path: (len(path.parts), path))[:MAX_FILES]


def _is_entered(folder: Path) -> bool:
    name = folder.name
    plain = not name.startswith(".") and name.lower() not in PASSED_OVER and name.isprintable()
    # What lies behind a link is no business of ours, and a folder may be another user's.
    return plain and not folder.is_symlink() and not os.path.exists(folder / "pyvenv.cfg")  # noqa: PTH110


def _is_importable(file: PurePosixPath) -> bool:
    parts = file.with_suffix("").parts
    return all(part.isidentifier() for part in parts) and not file.name.startswith("test_")


def _is_own_source(file: PurePosixPath) -> bool:
    plain = file.name.isprintable() and not set(file.name) & set("'\"\\`")
    return plain and not _TESTS.search(file.name)


def _source(path: Path) -> bytes:
    try:
        source = first_bytes(path, MAX_BYTES + 1)
    except OSError:
        return b""
    return source if len(source) <= MAX_BYTES else b""


def _parsed(source: bytes) -> ast.Module | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an odd escape in foreign code is not ours to tell
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def _module(path: PurePosixPath) -> str:
    parts = list(path.with_suffix("").parts)
    if parts[0] == "src" and len(parts) > 1:  # a project of this layout is installed
        parts = parts[1:]
    return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)


def own_python(root: Path) -> str:
    """Return the interpreter of the project's own environment, else the one on the path."""
    folder = own_environment(root)
    if folder:
        return f"{folder}/bin/python"
    return "python" if shutil.which("python") else "python3"


def own_environment(root: Path) -> str:
    """Return the folder of the project's virtual environment, "" without one."""
    for folder in FOLDERS:
        if (root / folder / "pyvenv.cfg").is_file() and (root / folder / "bin/python").exists():
            return folder
    return ""


def interpreter(root: Path) -> list[str]:
    """Return how the code is run apart from ragate, [] where both share an environment."""
    folder = own_environment(root)
    if folder and (root / folder).resolve() != Path(sys.prefix).resolve():
        return [f"{folder}/bin/python"]
    return []


def variables(files: list[PythonFile]) -> list[str]:
    """Return the names of the variables that the code reads, as far as it tells."""
    names = {name for file in files for name in [*_read(file), *_keys(file)]}
    return sorted(name for name in names - _ALWAYS if _NAME.fullmatch(name))[:MOST_NAMES]


def _read(file: PythonFile) -> Iterator[str]:
    for node in ast.walk(file.tree):
        if isinstance(node, ast.Subscript) and dotted(node.value).endswith("environ"):
            yield text_of(node.slice)
        elif isinstance(node, ast.Call) and node.args:
            name = dotted(node.func)
            if name.endswith(("getenv", "environ.get")):
                yield text_of(node.args[0])


def _keys(file: PythonFile) -> Iterator[str]:
    for node in ast.walk(file.tree):
        if isinstance(node, ast.ImportFrom) and _BY_MODULE.match(node.module or ""):
            yield "OPENAI_API_KEY"
    yield from (_KEYS[package] for package in file.packages & _KEYS.keys())


@dataclass(frozen=True)
class ScriptFile:
    """One file, as text without most of its comments.

    Attributes:
        path: Relative to the project.
    """

    path: PurePosixPath
    text: str


def source_files(root: Path, suffixes: frozenset[str]) -> list[ScriptFile]:
    """Return the files with such names below `root`, shallow ones first."""
    files, total = [], 0
    for path in _paths(root, suffixes, _is_own_source):
        text = start_of(root / path, MAX_BYTES)
        total += len(text)
        if total > MAX_TOTAL:
            break
        files.append(ScriptFile(path, _without_comments(text)))
    return files


def manifest(root: Path) -> Mapping[str, Any] | None:
    """Return package.json, None where there is none or it cannot be read."""
    text = start_of(root / "package.json", MAX_BYTES)
    try:
        read = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return read if isinstance(read, dict) else None


def npm_scripts(package: Mapping[str, Any] | None) -> list[str]:
    """Return the names of the scripts in a package.json."""
    scripts = package.get("scripts") if package is not None else None
    return list(scripts) if isinstance(scripts, dict) else []


def _without_comments(text: str) -> str:
    """Return a text whose lines keep their numbers; each character is looked at a few times."""
    kept, at = [], 0
    while begun := _COMMENT.search(text, at):
        end = text.find("*/", begun.end())
        if end < 0:
            break
        kept += [text[at : begun.start()], "\n" * text.count("\n", begun.start(), end)]
        at = end + 2
    return _LINE_COMMENT.sub("", "".join([*kept, text[at:]]))
