"""``ragate demo``: green, a planted break, red, and one file left."""

import os
from pathlib import Path

from tests.e2e.command import ragate


def test_the_demo_passes_then_fails_and_leaves_the_page_alone(tmp_path: Path) -> None:
    scratch, project = tmp_path / "scratch", tmp_path / "project"
    scratch.mkdir()
    project.mkdir(mode=0o555)

    ended = ragate(project, "demo", env={"TMPDIR": str(scratch), "CI": "1"})

    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert ended.stdout.index("PASSED") < ended.stdout.index("The break:")
    assert ended.stdout.index("The break:") < ended.stdout.index("FAILED")
    (page,) = scratch.iterdir()
    assert ended.stdout.rstrip().endswith(str(page))
    assert "recall@3" in page.read_text()
    assert os.listdir(project) == []
