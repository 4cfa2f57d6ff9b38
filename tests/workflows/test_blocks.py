"""Workflows are found in Markdown; ours and those of the docs are pinned and modest."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from tests.workflows.blocks import ROOT, Block, workflows

WORKFLOW = """\
name: gate
on: pull_request
jobs:
  gate:
    runs-on: ubuntu-24.04
"""
PAGE = f"""\
# A page

```yaml
{WORKFLOW}```

1. In a list:

   ```yml
   on:
     push:
   jobs: {{}}
   ```

A fragment:

```yaml
jobs:
  gate: {{}}
```

```toml
on = 1
```
"""
USES = re.compile(r"^\s*(?:-\s+)?uses:\s*(\S+)(.*)$", re.MULTILINE)
OURS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
EXAMPLE = ROOT / "examples" / "workers" / "workflow.yml"
EVERY = [
    *workflows(),
    *(Block(path.relative_to(ROOT), 1, path.read_text("utf-8")) for path in [*OURS, EXAMPLE]),
]


def write(root: Path, text: str) -> None:
    (root / "docs").mkdir()
    (root / "README.md").write_text("# Read me\n")
    (root / "docs" / "a.md").write_text(text)


def test_a_block_with_triggers_and_jobs_is_a_workflow_and_a_fragment_is_none(tmp_path: Path):
    write(tmp_path, PAGE)

    first, second = workflows(tmp_path)

    assert first == Block(Path("docs/a.md"), 4, WORKFLOW)
    assert second.text == "on:\n  push:\njobs: {}\n"


def test_a_blocks_file_leads_back_to_its_line(tmp_path: Path):
    write(tmp_path, PAGE)

    assert workflows(tmp_path)[0].name == "docs-a-line-4.yml"


def test_triggers_are_read_under_their_own_name():
    assert Block(Path("a.md"), 1, WORKFLOW).parsed()["on"] == "pull_request"


def test_the_docs_show_workflows():
    assert len(workflows()) >= 3


@pytest.mark.parametrize("block", EVERY, ids=lambda block: block.name)
def test_every_action_is_pinned_to_a_commit_and_says_which_release(block: Block):
    for name, rest in USES.findall(block.text):
        if not name.startswith("./"):
            assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", name), name
            assert "#" in rest, name


@pytest.mark.parametrize("block", EVERY, ids=lambda block: block.name)
def test_write_permissions_are_given_to_a_job_and_never_to_a_whole_workflow(block: Block):
    parsed = block.parsed()

    assert "write" not in dict(parsed.get("permissions", {})).values()
    for job in parsed["jobs"].values():
        assert "permissions" in parsed or "permissions" in job
        assert job.get("permissions", {}) not in ("write-all", "read-all")


def test_only_the_release_may_publish():
    for path in OURS:
        jobs = yaml.safe_load(path.read_text("utf-8"))["jobs"]
        publishing = {
            name
            for name, job in jobs.items()
            if {"packages", "id-token"} & {k for k, v in job["permissions"].items() if v == "write"}
        }
        assert not publishing or path.name == "release.yml"
