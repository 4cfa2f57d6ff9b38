"""A merge driver that an earlier version installed in a clone."""

from __future__ import annotations

import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.repositories import commit, git

pytestmark = pytest.mark.integration


def test_a_merge_driver_of_an_earlier_version_reads_nothing_and_leaves_a_conflict(
    tmp_path: Path,
) -> None:
    git(tmp_path, "init", "--quiet", "--initial-branch=main")
    driver = f"{shlex.quote(sys.executable)} -P -m ragate baseline merge %O %A %B %P"
    git(tmp_path, "config", "merge.ragate-baseline.driver", driver)
    (tmp_path / ".gitattributes").write_text("/main.json merge=ragate-baseline\n")
    (tmp_path / "ragate").mkdir()
    (tmp_path / "ragate/__init__.py").write_text("open('stolen', 'w')\n")
    baseline = tmp_path / "main.json"
    baseline.write_text("1")
    commit(tmp_path)
    git(tmp_path, "branch", "change")
    for branch, text in (("change", "2"), ("main", "3")):
        git(tmp_path, "checkout", "--quiet", branch)
        baseline.write_text(text)
        commit(tmp_path)

    done = subprocess.run(
        ["git", "merge", "change"], cwd=tmp_path, check=False, capture_output=True, text=True
    )

    assert done.returncode == 1
    said = done.stdout + done.stderr
    assert "`ragate baseline merge` is gone: take either side of the file" in said
    assert baseline.read_text() == "3"
    assert not (tmp_path / "stolen").exists()
