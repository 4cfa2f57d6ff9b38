"""The manual against the code: what it lists exists, and what exists is listed."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import click
import pytest
import yaml

from ragate import plugins
from ragate.cli.group import cli

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


@pytest.mark.parametrize("page", LINKED, ids=name)
def test_every_internal_link_leads_somewhere(page: Path) -> None:
    for target in LINK.findall(prose(page)):
        if re.match(r"[a-z]+:", target):
            continue
        file, _, fragment = target.partition("#")
        found = (page.parent / unquote(file)).resolve() if file else page
        assert found.is_relative_to(ROOT), target
        assert found.exists(), target
        if fragment:
            assert fragment in anchors(found), target


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_every_page_has_one_first_level_heading_and_begins_with_it(page: Path) -> None:
    headings = re.findall(r"^# .+$", prose(page), re.MULTILINE)

    assert len(headings) == 1
    assert page.read_text().startswith(headings[0])


def test_the_manual_has_at_least_25_pages_of_a_fair_length() -> None:
    assert len(MANUAL) >= 25
    for page in MANUAL:
        assert 40 <= len(page.read_text().splitlines()) <= 1800, page.name


def test_every_page_of_the_manual_is_linked_from_the_index() -> None:
    linked = set(LINK.findall((DOCS / "index.md").read_text()))

    assert {page.name for page in MANUAL} - {"index.md"} <= linked


def test_every_metric_is_in_the_metrics_page() -> None:
    text = (DOCS / "metrics.md").read_text()
    missing = [metric for metric in plugins.names("metrics") if f"`{metric}" not in text]

    assert plugins.names("metrics")
    assert missing == []


def test_the_exit_code_page_has_every_code_and_no_other() -> None:
    page = (DOCS / "commands.md").read_text().split("## Exit codes")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (\d+) \|", page, re.MULTILINE)

    assert rows == ["0", "1", "2", "3", "130"]


def test_every_exit_code_of_the_errors_is_in_the_page() -> None:
    rows = re.findall(r"^\| (\d+) \|", (DOCS / "commands.md").read_text(), re.MULTILINE)
    used = re.findall(r"exit_code = (\d+)", (ROOT / "ragate/errors.py").read_text())

    assert used
    assert set(used) <= set(rows)


def test_the_environment_page_lists_exactly_the_variables_that_the_commands_read() -> None:
    sources = "\n".join(path.read_text() for path in (ROOT / "ragate/cli").rglob("*.py"))
    used = set(re.findall(r"\bRAGATE_[A-Z_]+\b", sources))
    rows = re.findall(r"^\| `([A-Z_]+)` \|", (DOCS / "commands.md").read_text(), re.MULTILINE)

    assert used
    assert {row for row in rows if row.startswith("RAGATE_")} == used
    assert {"NO_COLOR", "CI"} <= set(rows)


def leaves(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for word in group.list_commands(context):
        command = group.get_command(context, word)
        assert command is not None, word
        if isinstance(command, click.Group):
            yield from leaves(command, (*path, word))
        elif not command.hidden:
            yield " ".join((*path, word)), command


COMMANDS = dict(leaves(cli))


def sections() -> dict[str, str]:
    """Return the text of commands.md by command."""
    text = (DOCS / "commands.md").read_text()
    parts = re.split(r"^## `ragate ([a-z ]+)`\n", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_the_commands_page_has_a_section_for_every_command_and_no_other() -> None:
    assert set(sections()) == set(COMMANDS)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_commands_section_names_exactly_its_options(command: str) -> None:
    options = {
        option
        for parameter in COMMANDS[command].params
        if isinstance(parameter, click.Option) and not parameter.hidden
        for option in (*parameter.opts, *parameter.secondary_opts)
        if option.startswith("--")
    } - {"--help", "--config"}
    cells = re.findall(r"^\| (`--[^|]+)", sections()[command], re.MULTILINE)
    rows = [option for cell in cells for option in re.findall(r"`(--[a-z-]+)", cell)]
    assert len(rows) == len(set(rows))
    assert set(rows) == options


def blocks(language: str) -> Iterator[tuple[str, str]]:
    for page in [*PAGES, ROOT / "README.md"]:
        text = page.read_text()
        for found in re.finditer(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
            yield f"{name(page)}:{text.count(chr(10), 0, found.start()) + 1}", found[1]


@pytest.mark.parametrize(("where", "block"), list(blocks("toml")), ids=lambda value: value[:40])
def test_every_toml_example_parses(where: str, block: str) -> None:
    assert tomllib.loads(block), where


@pytest.mark.parametrize(("where", "block"), list(blocks("json")), ids=lambda value: value[:40])
def test_every_json_example_parses(where: str, block: str) -> None:
    for line in [block] if block.startswith("{\n") else block.splitlines():
        assert json.loads(line), where


@pytest.mark.parametrize(("where", "block"), list(blocks("yaml")), ids=lambda value: value[:40])
def test_every_action_of_a_yaml_example_is_pinned_by_its_sha(where: str, block: str) -> None:
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
