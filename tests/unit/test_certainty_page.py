"""What makes each sentence about certainty true is there: tests, and figures with their commit."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "threshold.md").read_text()


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
