"""The examples of the pages on systems and embedders, run word for word in an empty folder."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.e2e.command import ragate
from tests.e2e.test_readme_recipes import ENVIRONMENT, run
from tests.night import by_night

DOCS = Path(__file__).parents[2] / "docs"
RECIPES = {
    name: recipe
    for page in [*sorted(DOCS.glob("system-*.md")), DOCS / "retrieval.md"]
    for name, recipe in re.findall(
        r"<!-- recipe: (\w+) -->\n```bash\n(.*?)\n```", page.read_text(), re.DOTALL
    )
}

pytestmark = pytest.mark.e2e


def test_every_page_has_an_example() -> None:
    assert set(RECIPES) == {"python", "llamaindex", "http", "command", "mcp", "hashing"}


# By day those that start nothing dear; what the others name is held by their systems' own tests.
NAMES = [
    pytest.param(name, marks=[by_night] if name in {"mcp", "llamaindex", "hashing"} else [])
    for name in RECIPES
]


@pytest.mark.parametrize("name", NAMES)
def test_an_example_passes_and_a_lost_document_then_fails_it(name: str, tmp_path: Path) -> None:
    done = run(RECIPES[name], tmp_path)

    assert done.returncode == 0, done.stdout + done.stderr
    assert "PASSED" in done.stdout

    for path in (tmp_path / "rag.py", tmp_path / "answer.json", tmp_path / "docs/refunds.md"):
        if path.name == "refunds.md" and path.exists():
            path.rename(path.with_name("other.md"))
        elif path.exists():
            path.write_text(path.read_text().replace("refunds.md", "other.md"))
    broken = ragate(tmp_path, "check", env=ENVIRONMENT)

    assert broken.returncode == 1, broken.stdout + broken.stderr
    report = max((tmp_path / ".ragate/runs").glob("*/report.json"))
    assert json.loads(report.read_text())["decision"]["exit_code"] == 1
