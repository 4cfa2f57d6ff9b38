"""The guide to a model on one's own machine, typed as it is printed."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.command import ragate
from tests.servers.llama import lacking, waited_for
from tests.servers.ports import free_port

pytestmark = [
    pytest.mark.model,
    pytest.mark.e2e,
    pytest.mark.skipif(bool(lacking()), reason=lacking()),
]
PAGE = (Path(__file__).parents[2] / "docs" / "local-model.md").read_text()
TYPED = {"RAGATE_TIMEOUT_S": "300"}


def block(language: str, number: int = 0) -> str:
    found = re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.DOTALL | re.MULTILINE)
    return str(found[number])


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """Write what the page writes, and serve the model as it says; on a port that is free."""
    port = free_port()
    serve = block("python").replace("8080", str(port))
    (tmp_path / "serve.py").write_text(serve)
    (tmp_path / "ragate.toml").write_text(block("toml").replace("8080", str(port)))
    subprocess.run(["bash", "-e"], input=block("bash", 2), text=True, cwd=tmp_path, check=True)
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    process = subprocess.Popen(
        [sys.executable, "serve.py"], cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL
    )
    try:
        waited_for(process, port)
        yield tmp_path
    finally:
        process.kill()
        process.wait()


def test_a_judge_that_is_too_weak_records_nothing_and_without_it_there_is_a_verdict(
    folder: Path,
) -> None:
    weak = ragate(folder, "baseline", "update", "--runs", "1", env=TYPED)
    assert weak.returncode == 3, weak.stderr
    assert "the judge scored test answers wrongly" in " ".join(weak.stderr.split())
    assert not (folder / "baselines").exists()

    config = folder / "ragate.toml"
    config.write_text(config.read_text().replace("[policy.metrics.relevancy]\n", ""))
    assert "relevancy" not in tomllib.loads(config.read_text())["policy"]["metrics"]

    recorded = ragate(folder, "baseline", "update", "--runs", "1", env=TYPED)
    assert recorded.returncode == 0, recorded.stderr
    assert recorded.stdout.startswith("baselines/gate.json: recorded; commit it\n")

    unchanged = ragate(folder, "check", env=TYPED)
    assert unchanged.returncode == 0, unchanged.stderr
    assert block("console", 1).splitlines()[-1] in unchanged.stdout
