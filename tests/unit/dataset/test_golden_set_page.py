"""The examples of docs/golden-set.md are read as they are printed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ragate.dataset import read_dataset
from ragate.tables.containers import ENDINGS
from ragate.tables.names import SURE

TEXT = (Path(__file__).parents[3] / "docs/golden-set.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("language", "ending"), [("json", "jsonl"), ("csv", "csv"), ("yaml", "yaml")]
)
def test_an_example_is_a_golden_set(tmp_path: Path, language: str, ending: str) -> None:
    block = re.search(rf"^```{language}\n(.*?)^```", TEXT, re.DOTALL | re.MULTILINE)
    assert block is not None
    path = tmp_path / f"a.{ending}"
    path.write_text(block[1])

    first = read_dataset(path)[0]

    assert first.id == "refund-late"
    assert first.expected == {"refunds.md", "billing.md"}
    assert first.references[0].startswith("No")
    assert first.tags == ("billing",)


def test_every_field_and_spelling_is_in_the_table() -> None:
    rows = re.findall(r"^\| `(\w+)` \| (.*?) \|", TEXT, re.MULTILINE)
    listed = {field: {field, *re.findall(r"`(\w+)`", others)} for field, others in rows}

    assert {field: set(names) for field, names in SURE.items()} == listed


def test_every_ending_is_in_the_table() -> None:
    assert all(f"`{ending}`" in TEXT or f"*{ending}`" in TEXT for ending in ENDINGS)
