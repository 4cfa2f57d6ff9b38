"""The manual's reference, written wholly from the code.

    python -m tools.reference            writes the pages
    python -m tools.reference --check    fails where a page is not what it would write

A page is a template with an introduction; what it lists comes from the types of ragate.toml, the
commands, the metrics and action.yml. What stands behind a form feed in a docstring is for the page
alone: `--help` and the editor's hints end before it.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

ROOT = Path(__file__).parents[2]
WRITER = "python -m tools.reference"
NOTE = f"<!-- Written by `{WRITER}`: edit the docstrings, or the template in tools/reference. -->"


def anchor(heading: str) -> str:
    """Return the fragment of a heading, as GitHub makes it."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def cell(text: str) -> str:
    """Return a text as it may stand in a cell of a table."""
    return prose(" ".join(text.split())).replace("|", "\\|")


def prose(text: str) -> str:
    """Return a docstring's text as Markdown: options as code, pages as links."""
    if "```" in text:
        return text
    spans = re.split(r"(`[^`]+`|\[[^\]]+\]\([^)]+\))", text.replace("``", "`"))
    for at in range(0, len(spans), 2):
        spans[at] = re.sub(r"(?<![\w-])(--[a-z][a-z-]*)", r"`\1`", spans[at])
        spans[at] = re.sub(r"\bdocs/([\w-]+)\.md\b", r"[\1.md](\1.md)", spans[at])
    return "".join(spans)


def parts(docstring: str | None) -> tuple[str, str]:
    """Return what a docstring says to everybody, and what only the page says."""
    text, _, more = inspect.cleandoc(docstring or "").partition("\f")
    return prose(text.strip()), prose(more.strip())


def pages(root: Path = ROOT) -> dict[Path, str]:
    """Return the text of every page of the reference, by its file."""
    from tools.reference import action, commands, configuration, metrics

    contexts: Mapping[str, Callable[[], dict[str, Any]]] = {
        "configuration": configuration.context,
        "commands": commands.context,
        "metrics-reference": metrics.context,
        "action-reference": lambda: action.context(root),
    }
    environment = Environment(  # noqa: S701  # Markdown, of our own code
        loader=FileSystemLoader(Path(__file__).parent),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"anchor": anchor, "cell": cell}
    made = {}
    for name, context in contexts.items():
        text = environment.get_template(f"{name}.md.j2").render(note=NOTE, **context())
        made[root / "docs" / f"{name}.md"] = re.sub(r"\n{3,}", "\n\n", text)
    return made


def stale(root: Path = ROOT) -> list[Path]:
    """Return the pages that are not what would be written."""
    return [
        path
        for path, text in pages(root).items()
        if not path.is_file() or path.read_text(encoding="utf-8") != text
    ]


def write(root: Path = ROOT) -> None:
    """Write the pages."""
    for path, text in pages(root).items():
        path.write_text(text, encoding="utf-8")
