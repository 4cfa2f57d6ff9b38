"""The action in its container, on pull requests of a stand-in for GitHub.

The step shares the host's network, so that it reaches the stand-in on loopback. What it decides is
tested in tests/e2e/action, without a container; here, that the container does the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.container.engine import Engine
from tests.container.manual import gated_manual
from tests.container.service import Job
from tests.container.variables import give_to_runner
from tests.e2e.action.forge import Forge, outputs, recorded_project
from tests.e2e.action.talk import judged, say
from tests.servers.github_stub import github_stub

pytestmark = pytest.mark.container

BROKEN = range(12)
# benchmarks/results/image.txt has what was measured, in seconds; here with room for a busy machine.
UNAFFECTED_S = 60.0
FIRST_RED_S = 60.0


@pytest.fixture(scope="module")
def gated(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return recorded_project(tmp_path_factory.mktemp("gated"))


@pytest.fixture
def forge(tmp_path: Path, gated: dict[str, bytes]) -> Iterator[Forge]:
    with github_stub(tmp_path / "github") as github:
        made = Forge(github, tmp_path)
        made.start(gated)
        yield made


@pytest.fixture
def inside(engine: Engine, image: str) -> dict[str, Any]:
    """The options that put a step into the container."""
    return {"engine": engine, "image": image, "network": "host"}


def test_a_broken_change_is_red_and_the_repaired_one_green_with_one_comment(
    forge: Forge, inside: dict[str, Any]
):
    broken = forge.change(outputs(broken=BROKEN))
    workspace = give_to_runner(forge.checkout(broken.merge))
    red = forge.check(broken, workspace=workspace, **inside)

    assert (red.exit_code, red.outputs["verdict"]) == (1, "failed"), red.log
    assert red.conclusion == "failure"
    assert red.errors == []
    assert forge.states(broken.head) == ["pending", "failure"]
    assert (workspace / red.outputs["report-json"]).is_file()

    repaired = forge.change(outputs())
    green = forge.check(
        repaired, workspace=give_to_runner(forge.checkout(repaired.merge)), **inside
    )

    assert (green.exit_code, green.outputs["verdict"]) == (0, "passed"), green.log
    assert forge.states(repaired.head) == ["pending", "success"]
    assert repaired.head[:7] in forge.comment()


def test_the_container_says_what_the_process_says(forge: Forge, inside: dict[str, Any]):
    change = forge.change(outputs(broken=BROKEN))

    process = forge.check(change)
    container = forge.check(change, **inside)

    assert container.exit_code == process.exit_code
    assert container.outputs | {"comment-url": ""} == process.outputs | {"comment-url": ""}
    assert len(container.annotations()) == len(process.annotations())


def test_the_pair_for_forks_works_in_containers(forge: Forge, inside: dict[str, Any]):
    change = forge.change(outputs(broken=BROKEN), fork="stranger/handbook")

    collected, lines = forge.collect(change, **inside)
    decided = forge.decide(change, lines, **inside)

    assert (collected.exit_code, collected.outputs["verdict"]) == (0, "collected"), collected.log
    assert (decided.exit_code, decided.outputs["verdict"]) == (1, "failed"), decided.log
    assert forge.states(change.head) == ["pending", "failure"]


def test_a_command_is_obeyed_in_a_container(forge: Forge, inside: dict[str, Any]):
    change = forge.change(outputs(broken=BROKEN))
    forge.github.git.move("change", change.head)
    assert judged(forge, change).exit_code == 1
    body = f'/ragate accept {change.head[:7]} hit_rate@5 token_f1 "the pages were merged"'

    result = say(forge, body, **inside)

    assert result.outputs["verdict"] == "passed", result.log
    assert forge.states(change.head)[-1] == "success"


def test_the_token_and_the_key_are_in_no_log(forge: Forge, inside: dict[str, Any]):
    change = forge.change(outputs(broken=BROKEN))
    keys = {"OPENAI_API_KEY": "sk-canary-key"}

    result = forge.check(change, env=keys, token="ghs_" + "c4n4ry" * 6, **inside)

    assert "ghs_c4n4ry" not in result.raw_log
    assert "sk-canary-key" not in result.raw_log


@pytest.fixture(scope="module")
def manual(job: Job, image: str, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    return gated_manual(job, image, tmp_path_factory.mktemp("manual"))


@pytest.fixture
def served(tmp_path: Path, manual: dict[str, bytes]) -> Iterator[Forge]:
    """A repository whose gate needs the Postgres service."""
    with github_stub(tmp_path / "github") as github:
        made = Forge(github, tmp_path)
        made.start(manual)
        yield made


def at_the_service(job: Job, image: str) -> dict[str, Any]:
    return {
        "engine": job.engine,
        "image": image,
        "network": "host",
        "hosts": {"postgres": job.address},
        "inputs": {"gate": "docs", "database-url": job.url},
    }


def test_an_unaffected_change_is_green_soon_and_asks_nothing(served: Forge, job: Job, image: str):
    change = served.change({"web/page.html": b"<p>hello</p>"})

    result = served.check(change, **at_the_service(job, image))

    assert (result.exit_code, result.outputs["verdict"]) == (0, "passed"), result.log
    assert result.outputs["affected"] == "0"
    assert result.outputs["model-calls"] == "0"
    assert result.seconds <= UNAFFECTED_S


def test_a_change_that_breaks_retrieval_is_red_soon(
    served: Forge, job: Job, image: str, manual: dict[str, bytes]
):
    worse = manual["ragate.toml"].replace(b"top_k         = 10", b"top_k         = 1")
    assert worse != manual["ragate.toml"]

    result = served.check(served.change({"ragate.toml": worse}), **at_the_service(job, image))

    assert (result.exit_code, result.outputs["verdict"]) == (1, "failed"), result.log
    assert result.seconds <= FIRST_RED_S


def test_localhost_is_answered_with_the_name_of_the_service_in_an_annotation(
    served: Forge, job: Job, image: str
):
    change = served.change({"docs/new.md": b"# New\n"})
    options = at_the_service(job, image)
    options["inputs"]["database-url"] = "postgresql://ragate:s3cret-pw@localhost:5432/ragate"

    result = served.check(change, **options)

    assert result.exit_code == 3, result.log
    assert "postgres:5432" in result.raw_log
    assert "s3cret-pw" not in result.raw_log
