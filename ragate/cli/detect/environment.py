"""The environment that a project's code runs in: its interpreter, and the variables it reads."""

import ast
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from ragate.cli.detect.python_files import PythonFile, dotted, text_of

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
