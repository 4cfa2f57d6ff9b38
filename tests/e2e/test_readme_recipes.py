"""The README's recipes, run word for word in an empty folder."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.e2e.command import CLEAN, RAGATE, ragate

README = (Path(__file__).parents[2] / "README.md").read_text()
RECIPES = dict(re.findall(r"<!-- recipe: (\w+) -->\n```bash\n(.*?)\n```", README, re.DOTALL))
# As in a shell whose python is that of the installed command.
ENVIRONMENT = {"PATH": os.pathsep.join([str(Path(RAGATE).parent), CLEAN["PATH"]]), "CI": "1"}

pytestmark = pytest.mark.e2e


def run(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=folder,
        env={**CLEAN, **ENVIRONMENT},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def lose_a_document(name: str, folder: Path) -> tuple[str, str]:
    """Return what the document was called, and what is found in its place."""
    if name == "pgvector":
        (folder / "docs/refunds.md").rename(folder / "docs/terms.md")
        return "refunds.md", "terms.md"
    outputs = folder / "outputs/run.jsonl"
    outputs.write_text(outputs.read_text().replace('"doc_id": "rule-', '"doc_id": "page-'))
    return "rule-1.md", "page-1.md"


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_ends_in_a_passed_verdict_and_a_lost_document_then_fails_the_check(
    name: str, tmp_path: Path
) -> None:
    done = run(RECIPES[name], tmp_path)

    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "baselines/main.json").is_file()
    assert "PASSED" in done.stdout

    lost = lose_a_document(name, tmp_path)
    broken = ragate(tmp_path, "check", env=ENVIRONMENT)

    assert broken.returncode == 1, broken.stdout + broken.stderr
    for shown in ("recall@5", "q1", *lost):
        assert shown in broken.stdout
