"""The README's recipes, run word for word in an empty folder."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.e2e.command import CLEAN, RAGATE

README = (Path(__file__).parents[2] / "README.md").read_text()
RECIPES = dict(re.findall(r"<!-- recipe: (\w+) -->\n```bash\n(.*?)\n```", README, re.DOTALL))

pytestmark = pytest.mark.e2e


def run(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join([str(Path(RAGATE).parent), CLEAN["PATH"]])
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=folder,
        env={**CLEAN, "PATH": path, "CI": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@pytest.mark.parametrize("name", RECIPES)
def test_a_recipe_ends_in_a_passed_verdict(name: str, tmp_path: Path) -> None:
    done = run(RECIPES[name], tmp_path)

    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "baselines/main.json").is_file()
    assert "PASSED" in done.stdout


def test_after_the_replay_recipe_a_lost_document_fails_the_check(tmp_path: Path) -> None:
    assert run(RECIPES["replay"], tmp_path).returncode == 0
    outputs = tmp_path / "outputs/run.jsonl"
    outputs.write_text(outputs.read_text().replace('"doc_id": "rule-', '"doc_id": "page-'))

    done = run("ragate check", tmp_path)

    assert done.returncode == 1, done.stdout + done.stderr
    for shown in ("recall@5", "q1", "rule-1.md", "page-1.md"):
        assert shown in done.stdout


def test_after_the_pgvector_recipe_a_lost_document_fails_the_check(tmp_path: Path) -> None:
    assert run(RECIPES["pgvector"], tmp_path).returncode == 0
    (tmp_path / "docs/refunds.md").rename(tmp_path / "docs/terms.md")

    done = run("ragate check", tmp_path)

    assert done.returncode == 1, done.stdout + done.stderr
    for shown in ("recall@5", "q1", "refunds.md", "terms.md"):
        assert shown in done.stdout
