"""The folder that code reads its documents from."""

import ast
from collections.abc import Iterator
from pathlib import Path

from ragate.cli.detect.python_files import PythonFile, called, dotted, text_of

# What reads a folder of documents, and gives them paths.
READERS = frozenset({"SimpleDirectoryReader", "DirectoryLoader", "PyPDFDirectoryLoader"})
_GLOBS = frozenset({"glob", "rglob", "iterdir", "listdir", "walk"})


def reader_folder(file: PythonFile, root: Path) -> str | None:
    """Return the folder of the first reader of a framework, "" where its name is not told.

    Returns:
        None where there is no such reader.
    """
    for node in file.calls:
        if called(node).rpartition(".")[2] in READERS:
            named = {keyword.arg: keyword.value for keyword in node.keywords}
            argument = node.args[0] if node.args else named.get("input_dir", named.get("path"))
            return existing_folder(argument, file, root)
    return None


def documents_reader(file: PythonFile, files: list[PythonFile], root: Path) -> str | None:
    """Return the folder of the first reader in `file`, or else in any other, as `reader_folder`."""
    folders = (reader_folder(each, root) for each in [file, *files])
    return next((folder for folder in folders if folder is not None), None)


def globbed_folder(file: PythonFile, root: Path) -> str:
    """Return the folder whose files are listed by the code itself, "" where none is known."""
    for node in file.calls:
        if isinstance(node.func, ast.Attribute) and node.func.attr in _GLOBS:
            folder = existing_folder(node.func.value, file, root)
            folder = folder or _of_pattern(node, file, root)
            if folder:
                return folder
    return ""


def existing_folder(node: ast.AST | None, file: PythonFile, root: Path) -> str:
    """Return the folder of the project that an expression ends in, as far as its texts tell."""
    texts = list(_texts(node, file, depth=0))
    for start in range(len(texts)):
        path = "/".join(texts[start:]).strip("/").removeprefix("./")
        for base in (root, (root / file.path).parent):
            folder = base / path
            plain = path and ".." not in Path(path).parts
            if plain and folder.is_dir() and not folder.is_symlink():
                return folder.relative_to(root).as_posix()
    return ""


def _of_pattern(node: ast.Call, file: PythonFile, root: Path) -> str:
    """Return the folder of ``Path(...).glob("docs/*.md")``."""
    pattern = text_of(node.args[0]) if node.args else ""
    head = pattern.split("*")[0].rpartition("/")[0]
    return existing_folder(ast.Constant(head), file, root) if head else ""


def _texts(node: ast.AST | None, file: PythonFile, depth: int) -> Iterator[str]:
    """Yield the texts of a path, in order: ``Path(__file__).parent / "docs"`` has one."""
    if node is None or depth > 5:
        return
    if text_of(node):
        yield text_of(node)
    elif isinstance(node, ast.BinOp):
        yield from _texts(node.left, file, depth + 1)
        yield from _texts(node.right, file, depth + 1)
    elif isinstance(node, ast.Name) and node.id in file.values:
        yield from _texts(file.values[node.id], file, depth + 1)
    elif isinstance(node, ast.Call) and dotted(node.func).rpartition(".")[2] in {
        *("Path", "join", "str", "resolve", "joinpath", "abspath", "getenv", "get"),
    }:
        for argument in node.args[-1:] if called(node).endswith(("getenv", "get")) else node.args:
            yield from _texts(argument, file, depth + 1)
