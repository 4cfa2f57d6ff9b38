"""The Indexed Job of the manual: valid by Kubernetes' schema, and its pods' files merge."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from ragate.cli.main import run
from tests.integration.line.line_projects import lost
from tests.integration.shards.sharded import timeless_report
from tests.night import by_night

pytestmark = pytest.mark.integration
PAGE = Path(__file__).parents[3] / "docs" / "forks.md"
VERSIONS = ("1.30.0", "1.33.0")


def section() -> str:
    return PAGE.read_text().split("### In Kubernetes\n")[1].split("\n## ")[0]


def manifest() -> dict[str, Any]:
    (text,) = re.findall(r"^```yaml\n(.*?)^```", section(), re.MULTILINE | re.DOTALL)
    found: dict[str, Any] = yaml.safe_load(text)
    return found


@pytest.mark.parametrize("version", VERSIONS)
def test_the_manifest_is_valid_by_its_schema(version: str):
    validation = pytest.importorskip(
        "kubernetes_validate", reason="kubernetes-validate, of the extra dev, is not installed"
    )

    validation.validate(manifest(), version, strict=True)


def test_a_manifest_with_a_slip_would_be_refused():
    validation = pytest.importorskip(
        "kubernetes_validate", reason="kubernetes-validate, of the extra dev, is not installed"
    )
    broken = manifest()
    broken["spec"]["completion"] = broken["spec"].pop("completions")

    with pytest.raises(validation.ValidationError):
        validation.validate(broken, VERSIONS[0], strict=True)


@by_night  # by day the shards of an index merge in test_merge.py and test_which_shard.py
def test_its_command_run_once_for_each_index_gives_shards_that_merge(gated):
    gated.record(lost(4), runs=3)
    assert run(["collect", "--runs", "3"]) == 0
    code = run(["decide"])
    alone = timeless_report(gated.root)
    job = manifest()["spec"]
    (container,) = job["template"]["spec"]["containers"]
    assert job["completionMode"] == "Indexed"

    for index in range(job["completions"]):
        pod(container, index, gated.root)
    shards = sorted(map(str, (gated.root / "shards").glob("*.jsonl")))

    assert len(shards) == job["completions"]
    assert run(["decide", *shards]) == code
    assert timeless_report(gated.root) == alone


def local(text: str, root: Path) -> str:
    """Return a line of the manual with the volume's folder in place of its mount."""
    return text.replace("/data/", f"{root}/")


def pod(container: dict[str, Any], index: int, root: Path) -> None:
    """Run a container's command as the pod of one index does."""
    state = root / f"pod-{index}"
    environment = {
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "JOB_COMPLETION_INDEX": str(index),
        **{one["name"]: str(state) for one in container["env"]},
    }
    command = [local(part, root) for part in container["command"]]
    subprocess.run(command, cwd=root, env=environment, check=True, capture_output=True)
