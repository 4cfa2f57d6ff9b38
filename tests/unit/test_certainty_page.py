"""What makes each sentence about certainty true is there: tests, and figures with their commit."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.unit.whole import of_the_whole

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "threshold.md").read_text()
# Where what is printed is put into words.
ROOMS = (
    "core/decision",
    "core/rules",
    "core/diagnosis",
    "core/statistics",
    "core/text/wording.py",
    "renderers",
    "sight.py",
    "gate",
    "run",
    "cli/commands/baseline.py",
    "cli/commands/power.py",
    "contrib/drill",
    "contrib/tryout",
    "contrib/labels/calibrate.py",
)
CERTAIN = re.compile(
    r"\b(?:chance|luck|1 (?:run |change )?in|unchanged (?:system|one)|one of five|ruled out|proven"
    r"|provisional|flips|by itself|may be (?:a )?(?:real|chance)|is real|sure|hardly|drift|drifted"
    r"|noise|every drop|to show|would show|would decide|can fail|shows drops|only difference)\b"
    r"|95 %"
)
# Words alike that tell no certainty.
OTHER = {
    "… of metrics without noise": "what a metric is",
    "…; noise measured on …": "where a figure is from",
    "noise measured on …": "where a figure is from",
    "… times that for those that look worse and are not proven to be": "what a run costs",
}


@of_the_whole
def test_every_test_and_table_that_the_page_names_exists() -> None:
    files = [*(ROOT / "tests").rglob("test_*.py")]
    named = re.findall(r"`(test_\w+)`", PAGE)
    code = "\n".join(path.read_text() for path in files)

    assert len(named) > 20
    assert [name for name in named if f"def {name}(" not in code] == []
    modules = set(re.findall(r"`(test_\w+\.py)`", PAGE))
    assert modules <= {path.name for path in files}
    tables = set(re.findall(r"`(\w+\.txt)`", PAGE))
    assert [name for name in tables if not (ROOT / "benchmarks/results" / name).exists()] == []


def test_the_picture_is_the_one_of_the_results() -> None:
    from benchmarks.rivals_picture import PICTURE, picture

    assert picture() == PICTURE.read_text()


def sentences(code: str) -> Iterator[str]:
    """Yield the texts of a module without its docstrings; … stands for what is put in."""
    tree = ast.parse(code)
    skipped = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = [part.value if isinstance(part, ast.Constant) else "…" for part in node.values]
            skipped |= {id(part) for part in node.values}
            yield "".join(map(str, parts))
        elif isinstance(node, ast.Constant) and id(node) not in skipped:
            yield node.value if isinstance(node.value, str) else ""


def fragments(template: str) -> list[str]:
    """Return the texts of a template between its tags and what is put in."""
    return re.split(r"\{\{.*?\}\}|\{%.*?%\}|<[^>]+>", template, flags=re.DOTALL)


def told(page: str, sentence: str) -> bool:
    """Whether a page has the words of a sentence that tell how certain it is."""
    parts = [part.strip(" ,;:().*`\n") for part in re.split(r"…|\{\}", sentence)]
    said = " ".join(page.replace("`", "").split()).lower()
    certain = [part for part in parts if CERTAIN.search(part)]
    return all(" ".join(part.replace("`", "").split()).lower() in said for part in certain)


@pytest.mark.parametrize("room", ROOMS)
def test_the_page_has_every_sentence_about_certainty_that_can_be_printed(room: str) -> None:
    path = ROOT / "ragate" / room
    if room.startswith("contrib/") and not path.exists():
        pytest.skip("it stands beside the core, and is absent")
    files = sorted([*path.rglob("*.py"), *path.rglob("*.j2")]) if path.is_dir() else [path]
    table = PAGE.partition("## Every sentence about certainty")[2]
    first = "\n".join(row.split("|")[1] for row in table.splitlines() if row.startswith("|"))
    missing = [
        f"{file.relative_to(ROOT)}: {sentence}"
        for file in files
        for sentence in (sentences if file.suffix == ".py" else fragments)(file.read_text())
        if " " in sentence.strip() and CERTAIN.search(sentence)
        if sentence not in OTHER and not told(first, sentence)
    ]

    assert files
    assert missing == []


def test_a_sentence_that_is_new_is_found() -> None:
    code = 'def said(p):\n    "A chance."\n    return f"{p}: surely real, by luck in {p} of 9"\n'

    assert [*sentences(code)] == ["…: surely real, by luck in … of 9"]
    assert not told('| "by chance" |', "…: surely real, by luck in … of 9")
    assert told('"surely real, by luck in 3 of 9"', "…: surely real, by luck in … of 9")
