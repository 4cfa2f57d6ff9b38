"""The reference is what the code says: four pages of the manual that nobody writes."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import click
import pytest
import yaml
from click.testing import CliRunner
from pydantic import BaseModel

from ragate import errors, plugins
from ragate.cli.group import EXIT_CODES, cli
from ragate.cli.main import EXIT_USAGE
from ragate.cli.operations import VARIABLES
from ragate.config.schema import config_schema
from ragate.core.judging.own_criterion import OwnCriterion
from ragate.models import Verdict
from ragate.process import INTERRUPTED, NO_DECISION
from tests.unit.whole import of_the_whole
from tools.reference import ROOT, WRITER, action, anchor, commands, configuration, pages, stale
from tools.reference.metrics import LACKS, made

PAGES = pages()
TEXTS = {path.stem: text for path, text in PAGES.items()}


@of_the_whole
def test_a_page_is_what_the_code_says() -> None:
    for path in PAGES:
        assert path.read_text(encoding="utf-8") == PAGES[path], f"run: {WRITER}"


def test_a_page_that_somebody_changed_is_stale(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "action.yml").write_bytes((ROOT / "action.yml").read_bytes())
    for path, text in pages(tmp_path).items():
        path.write_text(text, encoding="utf-8")
    assert stale(tmp_path) == []

    changed = tmp_path / "docs" / "commands.md"
    changed.write_text(changed.read_text(encoding="utf-8") + "By hand.\n", encoding="utf-8")

    assert stale(tmp_path) == [changed]


class Undocumented(BaseModel):
    """A table.

    Attributes:
        told: What it means.
    """

    told: int = 1
    untold: int = 2


def test_a_key_without_a_meaning_is_refused() -> None:
    with pytest.raises(ValueError, match="does not say what 'untold' means"):
        list(configuration.keys(Undocumented))


def test_an_option_without_a_help_is_refused() -> None:
    with pytest.raises(ValueError, match="ragate x: --bare has no help"):
        commands.row("x", click.Option(["--bare"]))


def test_an_input_without_a_description_is_refused(tmp_path: Path) -> None:
    (tmp_path / "action.yml").write_text("inputs: {mode: {default: check}}\noutputs: {}\n")

    with pytest.raises(ValueError, match="inputs: mode has no description"):
        action.context(tmp_path)


def test_every_key_of_a_table_has_a_row_with_its_default() -> None:
    section = TEXTS["configuration"].partition("## `[policy.judge]`\n")[2].partition("\n## ")[0]

    assert "| `metrics` | tables by name | required |" in TEXTS["configuration"]
    assert "| `profiles` | tables by name | `{}` |" in TEXTS["configuration"]
    assert "| `waivers` | list of tables | `[]` |" in TEXTS["configuration"]
    assert "| `use` | text | required |" in section
    assert "| `concurrency` | whole number, 1 to 1024 | `8` |" in section
    assert "settings" not in re.findall(r"^\| `(\w+)`", section, re.MULTILINE)


def test_every_plugin_with_keys_has_a_section() -> None:
    headings = re.findall(r"^## (.+)$", TEXTS["configuration"], re.MULTILINE)

    for kind in ("systems", "judges", "embedders", "rerankers"):
        for name in plugins.names(kind):
            word = "`[system]` of" if kind == "systems" else kind.removesuffix("s").title()
            assert f"{word} `{name}`" in headings


def test_a_criterion_of_ones_own_has_a_section_with_its_keys() -> None:
    section = TEXTS["configuration"].partition('## `[policy.metrics."criterion.<name>"]`\n')[2]

    keys = re.findall(r"^\| `(\w+)`", section.partition("\n## ")[0], re.MULTILINE)
    assert keys == list(OwnCriterion.model_fields)


def test_a_table_is_linked_from_the_key_that_holds_it() -> None:
    text = TEXTS["configuration"]
    anchors = {anchor(heading) for heading in re.findall(r"^## (.+)$", text, re.MULTILINE)}
    linked = set(re.findall(r"\[its keys\]\(#([^)]+)\)", text))

    assert linked <= anchors
    assert {"policyprovidersname", "systempointers", "systemanswer"} <= linked


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "integer", "minimum": 1, "maximum": 50}, "whole number, 1 to 50"),
        ({"type": "number", "exclusiveMinimum": 0}, "number, above 0"),
        ({"type": "number", "minimum": 0, "exclusiveMaximum": 1}, "number, 0 or more, below 1"),
        ({"type": "array", "items": {"type": "string"}}, "list of texts"),
        ({"type": "array", "prefixItems": [{"type": "integer"}] * 2}, "list of whole numbers"),
        ({"enum": ["", "sse"], "type": "string"}, "`sse`"),
        ({"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}]}, "date"),
        ({"type": "object", "additionalProperties": {"$ref": "#/$defs/One"}}, "tables by name"),
        ({"$ref": "#/$defs/One"}, "table"),
        ({}, "any value"),
    ],
)
def test_what_a_key_takes_is_told_in_plain_words(schema: dict[str, Any], words: str) -> None:
    assert configuration.plain_type(schema, {"One": {"type": "object"}}) == words


def test_every_command_has_a_section_and_every_option_a_row() -> None:
    sections = re.split(r"^## `ragate ([a-z ]+)`\n", TEXTS["commands"], flags=re.MULTILINE)
    by_name = dict(zip(sections[1::2], sections[2::2], strict=True))

    assert set(by_name) == {name for name, _ in commands.leaves(cli)}
    assert "| `--accept` | `METRIC` |" in by_name["baseline update"]
    assert "| `--runs` | 1 to 50 | Passes over the samples (`1`) |" in by_name["check"]


def test_what_only_the_page_says_is_not_in_the_help_nor_in_an_editors_hint() -> None:
    shown = CliRunner().invoke(cli, ["check", "--help"]).output
    hints = str(config_schema()["$defs"]["Waiver"])

    assert "Relative dates" in TEXTS["commands"]
    assert "Relative dates" not in shown
    assert "[[policy.waivers]]\n" in TEXTS["configuration"]
    assert "refund-late" not in hints
    assert "\\f" not in json.dumps(config_schema())
    assert "Who mends it." in hints


def test_a_hint_has_no_link_and_is_that_of_a_base_class_too() -> None:
    policy = config_schema()["properties"]["policy"]["properties"]

    assert policy["dataset"]["description"].startswith("The golden set: a file")
    assert policy["alpha"]["description"].startswith("Chance of failing")


@of_the_whole
def test_every_variable_that_ragate_reads_is_listed_and_no_other() -> None:
    sources = "\n".join(path.read_text() for path in (ROOT / "ragate").rglob("*.py"))
    sources = re.sub(r"^VARIABLES = \{.*?^\}", "", sources, flags=re.MULTILINE | re.DOTALL)
    read = set(re.findall(r"(?<!_)\bRAGATE_[A-Z][A-Z_]*\b", sources))

    listed = {*VARIABLES, *commands.brought_variables()}
    assert {name for name in listed if name.startswith("RAGATE_")} == read
    assert {"NO_COLOR", "CI", "JOB_COMPLETION_INDEX"} <= set(VARIABLES)


def test_every_code_that_a_command_ends_with_is_listed() -> None:
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type)]
    of_errors = {kind.exit_code for kind in kinds if issubclass(kind, errors.RagateError)}
    ended = of_errors | {verdict.exit_code for verdict in Verdict}

    assert set(EXIT_CODES) == ended | {EXIT_USAGE, INTERRUPTED, NO_DECISION}
    assert "0 passed, 1 failed, 2 usage" in CliRunner().invoke(cli, ["--help"]).output


def test_a_metric_has_a_section_with_formula_and_source() -> None:
    for name in plugins.names("metrics"):
        shown = made(name)[1]
        section = (
            TEXTS["metrics-reference"].partition(f"\n### `{shown}`\n")[2].partition("\n### ")[0]
        )

        for label in ("Formula", "Edge cases", "Source"):
            assert f"- **{label}:** " in section, name
        assert f"| [`{shown}`](#{anchor(shown)}) |" in TEXTS["metrics-reference"], name


def test_what_a_metric_needs_is_heard_from_the_metric() -> None:
    rows = re.findall(r"^\| \[`(.+?)`\].+\| (.*) \|$", TEXTS["metrics-reference"], re.MULTILINE)
    needs = dict(rows)

    assert needs["recall@k"] == "`relevant`"
    assert needs["token_f1"] == "`references`"
    assert needs["hallucination"] == "a judge, `references`, passages"
    assert needs["embedded_correctness"] == "an embedder, `references`"
    assert needs["lexical_support"] == "passages"
    assert needs["tool_syntax"] == "`expected_calls`, `tools`"
    assert needs["pairwise"] == "a judge, the whole run, a baseline"
    assert "| 0 or more tokens | lower | usage |" in TEXTS["metrics-reference"]
    assert all(any(need in text for text in needs.values()) for need in LACKS.values())


def test_every_input_and_output_of_the_action_has_a_row() -> None:
    described = yaml.safe_load((ROOT / "action.yml").read_text())
    rows = re.findall(r"^\| `([a-z-]+)` \|", TEXTS["action-reference"], re.MULTILINE)

    assert rows == [*described["inputs"], *described["outputs"]]
