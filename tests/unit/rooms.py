"""Draws the rooms of the house from the imports: ``python -m tests.unit.rooms`` prints them."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "ragate"
PAGE = ROOT / "docs/architecture.md"
WAYS = ROOT / "docs/finding-your-way.md"
BLOCK = re.compile(r"(?<=```mermaid\n).*?(?=```)", re.DOTALL)
# Rooms with a room of their own inside, which stands higher in the house.
INNER = ("baseline", "dataset", "plugins")
# Rooms whose folders are held against each other, too.
OPEN = (*INNER, "contrib", "core", "github")
# Nearly every room uses them: their arrows would hide the others.
EVERYWHERE = frozenset({"errors", "files", "guards", "models", "protocols", "removed"})
Graph = Mapping[str, frozenset[str]]


def picture() -> str:
    """Return the picture as Mermaid text; an arrow leads from a room to one that it uses."""
    graph = without_detours(uses(INNER))
    boxes = {room: room.replace(".", "_") for room in graph}
    lines = ["flowchart TD"]
    lines += [f'  {box}["{room.replace(".", "/")}"]' for room, box in boxes.items()]
    lines += [
        f"  {boxes[room]} --> {' & '.join(boxes[used] for used in sorted(graph[room]))}"
        for room in graph
        if graph[room]
    ]
    return "\n".join(lines) + "\n"


def uses(opened: Sequence[str] = OPEN) -> Graph:
    """Return the rooms that each room imports from, in functions too; sorted by name.

    Args:
        opened: Rooms whose folders are rooms too.
    """
    graph: dict[str, set[str]] = {}
    for module, imported in _imports().items():
        if room := room_of(module, opened):
            graph.setdefault(room, set()).update(room_of(name, opened) for name in imported)
    drawn = frozenset(graph)
    return {room: frozenset(graph[room] & drawn - {room}) for room in sorted(graph)}


@cache
def _imports() -> dict[str, set[str]]:
    """Return the modules that each module imports from, in functions too; sorted by name."""
    modules = {_dotted(path): path for path in sorted(PACKAGE.rglob("*.py"))}
    imported: dict[str, set[str]] = {name: set() for name in modules}
    for module, path in modules.items():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                names = {f"{node.module}.{alias.name}" for alias in node.names}
                imported[module] |= {name if name in modules else node.module for name in names}
    return imported


def room_of(module: str, opened: Sequence[str] = OPEN) -> str:
    """Return the room that a module is drawn in, "" for one that is left out."""
    package, *parts = module.split(".")
    if package != "ragate" or not parts or parts[0] in EVERYWHERE:
        return ""
    if parts[0] in opened and len(parts) > 1 and _is_folder(*parts[:2]):
        return ".".join(parts[:2])
    return parts[0] if _is_folder(parts[0]) else ""


def _is_folder(*names: str) -> bool:
    """Whether there are files of ours: bytecode of a folder that is gone may still lie there."""
    return PACKAGE.joinpath(*names, "__init__.py").is_file()


def without_detours(graph: Graph) -> Graph:
    """Return the graph without arrows that a way over other rooms shows already."""
    return {
        room: frozenset(
            used for used in graph[room] if not any(_leads(graph, by, used) for by in graph[room])
        )
        for room in graph
    }


def _leads(graph: Graph, start: str, end: str) -> bool:
    seen, waiting = {start}, [start]
    while waiting:
        for room in graph[waiting.pop()] - seen:
            if room == end:
                return True
            seen.add(room)
            waiting.append(room)
    return False


def _dotted(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


if __name__ == "__main__":
    if "--write" in sys.argv:
        PAGE.write_text(BLOCK.sub(picture(), PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    else:
        print(picture(), end="")
