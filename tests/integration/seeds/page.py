"""``python -m tests.integration.seeds.page``: writes the page "From the seeds" from the rows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ragate.cli.other_words import COMMANDS, options
from tests.integration.seeds.row import Row
from tests.integration.seeds.rows import REFUSED, ROWS, SEEDS, WORDS

PAGE = Path(__file__).parents[3] / "docs" / "from-the-seeds.md"
_HEAD = """\
# From the seeds

<!-- Written by `python -m tests.integration.seeds.page` from tests/integration/seeds/rows.py. -->

Five documents that ragate grew from describe how a RAG is evaluated. Each capability of theirs has
a command here, which a test runs with the models that they name. To bring files and settings over:
[Coming from another tool](import.md).

"""


def text() -> str:
    """Return the page."""
    return _HEAD + "\n\n".join([_words(), *map(_section, SEEDS), _refused()]) + "\n"


def _section(seed: str) -> str:
    rows = [_line(row) for row in ROWS if row.seed == seed]
    return "\n".join([f"## {SEEDS[seed]}", "", "| capability | command |", "| --- | --- |", *rows])


def _line(row: Row) -> str:
    return f"| {row.capability} | {_code(row.command)} |"


def _code(command: str) -> str:
    return f"`{command.replace('|', chr(92) + '|')}`"


def _words() -> str:
    rows = [f"| {theirs} | {ours} |" for theirs, ours in WORDS.items()]
    rows += [f"| `{theirs}` | {ours} |" for theirs, ours in _of_the_command_line()]
    return "\n".join(["## Their words and ours", "", "| there | here |", "| --- | --- |", *rows])


def _of_the_command_line() -> Iterator[tuple[str, str]]:
    yield from COMMANDS.items()
    yield from sorted(options().items())


def _refused() -> str:
    rows = [f"| {told} | {why} |" for told, why in REFUSED.items()]
    head = ["## What is otherwise here, and why", "", "| there | here, and the reason |"]
    return "\n".join([*head, "| --- | --- |", *rows])


if __name__ == "__main__":
    PAGE.write_text(text(), encoding="utf-8")
