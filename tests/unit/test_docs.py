"""The manual against the code: what it lists exists, and what exists is listed."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import yaml

from ragate import plugins

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.rglob("*.md"))
MANUAL = sorted(DOCS.glob("*.md"))
LINKED = [*PAGES, ROOT / "README.md", *sorted((ROOT / ".github").glob("*.md"))]
FENCE = re.compile(r"^(```+)[^\n]*\n.*?^\1\s*$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
PINNED = re.compile(r"[\w./-]+@[0-9a-f]{40}")


def prose(path: Path) -> str:
    """Return a page without its code blocks."""
    return FENCE.sub("", path.read_text())


def anchors(path: Path) -> set[str]:
    """Return the fragments of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#{1,6} (.+)$", prose(path), re.MULTILINE)
    return {
        re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-") for heading in headings
    }


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_every_internal_link_leads_somewhere() -> None:
    for page, target in [(each, link) for each in LINKED for link in LINK.findall(prose(each))]:
        if re.match(r"[a-z]+:", target):
            continue
        file, _, fragment = target.partition("#")
        found = (page.parent / unquote(file)).resolve() if file else page
        assert found.is_relative_to(ROOT), target
        assert found.exists(), target
        if fragment:
            assert fragment in anchors(found), target


def test_every_page_has_one_first_level_heading_and_begins_with_it() -> None:
    for page in PAGES:
        headings = re.findall(r"^# .+$", prose(page), re.MULTILINE)

        assert len(headings) == 1, page
        assert page.read_text().startswith(headings[0]), page


def test_the_manual_has_at_least_25_pages_of_a_fair_length() -> None:
    assert len(MANUAL) >= 25
    for page in MANUAL:
        lines = page.read_text().splitlines()
        most = 1800 if any("python -m tools.reference" in line for line in lines[:6]) else 500
        assert 40 <= len(lines) <= most, page.name


def test_every_page_of_the_manual_is_linked_from_the_index() -> None:
    linked = set(LINK.findall((DOCS / "index.md").read_text()))

    assert {page.name for page in MANUAL} - {"index.md"} <= linked


def test_every_metric_is_in_the_table_that_says_what_it_is_for() -> None:
    table = (DOCS / "metrics.md").read_text().split("## All metrics in one table")[1]
    table = table.split("\n## ")[0]

    assert [name for name in plugins.names("metrics") if f"`{name}" not in table] == []


def blocks(language: str) -> Iterator[tuple[str, str]]:
    for page in [*PAGES, ROOT / "README.md"]:
        text = page.read_text()
        for found in re.finditer(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
            yield f"{name(page)}:{text.count(chr(10), 0, found.start()) + 1}", found[1]


def test_every_toml_example_parses() -> None:
    for where, block in blocks("toml"):
        assert tomllib.loads(block), where


def test_every_json_example_parses() -> None:
    for where, block in blocks("json"):
        for line in [block] if block.startswith("{\n") else block.splitlines():
            assert json.loads(line), where


def test_every_action_of_a_yaml_example_is_pinned_by_its_sha() -> None:
    for where, block in blocks("yaml"):
        used = list(uses(yaml.safe_load(block)))

        assert all(PINNED.fullmatch(action) for action in used), where
        assert len(used) == len(re.findall(r"\buses:", block)), where


def uses(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("uses"), str):
            yield value["uses"]
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from uses(item)
