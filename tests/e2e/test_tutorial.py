"""The tutorial, typed as it is printed."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.e2e.command import CLEAN
from tests.e2e.test_readme_recipes import run

pytestmark = pytest.mark.e2e
PAGE = (Path(__file__).parents[2] / "docs" / "tutorial.md").read_text()
BLOCKS = re.findall(r"^<!-- tutorial -->\n```bash\n(.*?)\n```", PAGE, re.DOTALL | re.MULTILINE)
SHOWN = re.findall(r"^```text\n(.*?)\n```", PAGE, re.DOTALL | re.MULTILINE)
# A machine that git does not know its user on.
STRANGER = """\
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
unset CI GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL EMAIL
"""


@pytest.fixture(scope="module")
def typed(tmp_path_factory: pytest.TempPathFactory) -> subprocess.CompletedProcess[str]:
    done = run(STRANGER + "\necho '== block'\n".join(BLOCKS), tmp_path_factory.mktemp("tutorial"))
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def test_every_block_of_commands_but_the_installation_is_typed():
    assert len(re.findall(r"^```bash", PAGE, re.MULTILINE)) == len(BLOCKS) + 1
    assert len(BLOCKS) == 7


def test_the_first_check_passes_and_the_change_fails_and_its_revert_passes(
    typed: subprocess.CompletedProcess[str],
):
    verdicts = re.findall(r"^(PASSED|FAILED) \(exit (\d)\)", typed.stdout, re.MULTILINE)

    assert verdicts == [("PASSED", "0"), ("FAILED", "1"), ("FAILED", "1"), ("PASSED", "0")]
    assert typed.stdout.count("exit code 1") == 2


def test_a_branch_that_loosens_its_gate_is_judged_by_mains_rules(
    typed: subprocess.CompletedProcess[str],
):
    told = typed.stderr.partition("the rules of main decide; this branch has others: ")[2]

    assert "level" in told.splitlines()[0]


@pytest.mark.parametrize("text", SHOWN)
def test_what_the_page_shows_is_what_is_printed(typed: subprocess.CompletedProcess[str], text: str):
    assert text in typed.stdout


def test_the_comment_blames_retrieval(typed: subprocess.CompletedProcess[str]):
    *_, comment, _last = typed.stdout.split("== block")

    assert "gifts.md" in comment
    assert "retrieval" in comment


def test_nobody_needs_a_key():
    assert "KEY" not in "".join(CLEAN)
