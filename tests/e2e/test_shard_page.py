"""The commands of the page on shards, run as they are printed."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.e2e.command import CLEAN, RAGATE, ragate
from tests.projects import ReplayProject

PAGE = (Path(__file__).parents[2] / "docs/forks.md").read_text()
SECTION = PAGE.split("\n## Shards\n")[1]
HERE, _, _ = SECTION.partition("### In a workflow")  # what follows has tests of its own
BLOCKS = re.findall(r"```bash\n(.*?)```", HERE, re.DOTALL)

pytestmark = pytest.mark.e2e


def test_the_page_s_commands_run_as_printed(tmp_path: Path) -> None:
    project = ReplayProject(tmp_path)
    assert ragate(project.root, "baseline", "update").returncode == 0
    path = os.pathsep.join([str(Path(RAGATE).parent), CLEAN["PATH"]])

    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", "\n".join(BLOCKS)],
        cwd=project.root,
        env={**CLEAN, "PATH": path},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("PASSED (exit 0)") == len(BLOCKS) == 1
