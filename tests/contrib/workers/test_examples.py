"""The files of examples/workers: valid, and their commands give what one process gives.

No image is built and no cluster, engine or runner is asked: each container or job is a process in a
checkout of its own, with the command and the variables of the file, and a real queue.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from ragate.database import PostgresDatabase
from tests.e2e.command import CLEAN, RAGATE, ragate
from tests.servers.queue import fresh_queue
from tests.slow_rag import SlowProject, report_of

pytestmark = pytest.mark.e2e
FOLDER = Path(__file__).parents[3] / "examples" / "workers"
SAMPLES = 24
QUEUE = "RAGATE_QUEUE_URL"


@dataclass(frozen=True)
class Example:
    """What one file starts: so many workers and one run.

    Attributes:
        worker, check: A command and the variables that the file gives it.
    """

    replicas: int
    worker: tuple[list[str], dict[str, str]]
    check: tuple[list[str], dict[str, str]]


def manifests() -> list[dict[str, Any]]:
    return list(yaml.safe_load_all((FOLDER / "kubernetes.yaml").read_text()))


def kubernetes() -> Example:
    deployment, job = manifests()

    def container(manifest: Mapping[str, Any]) -> tuple[list[str], dict[str, str]]:
        (one,) = manifest["spec"]["template"]["spec"]["containers"]
        (source,) = one["envFrom"]
        secret = source["secretRef"]["name"]
        said = (FOLDER / "kubernetes.yaml").read_text()
        assert f"secret generic {secret} --from-literal={QUEUE}=" in said
        return one["command"], {QUEUE: "", **{each["name"]: each["value"] for each in one["env"]}}

    return Example(deployment["spec"]["replicas"], container(deployment), container(job))


def compose() -> Example:
    services = yaml.safe_load((FOLDER / "compose.yaml").read_text())["services"]
    worker, check = services["worker"], services["check"]
    server = services["postgres"]["environment"]
    url = "postgresql://{POSTGRES_USER}:{POSTGRES_PASSWORD}@postgres:5432/{POSTGRES_DB}"
    for one in (worker, check):
        assert one["environment"][QUEUE] == url.format(**server)
        assert one["depends_on"] == {"postgres": {"condition": "service_healthy"}}
    return Example(
        worker["deploy"]["replicas"],
        (worker["command"], worker["environment"]),
        (check["command"], check["environment"]),
    )


def workflow() -> Example:
    jobs = yaml.safe_load((FOLDER / "workflow.yml").read_text())["jobs"]

    def step(name: str) -> tuple[list[str], dict[str, str]]:
        (found,) = [one for one in jobs[name]["steps"] if one.get("run", "").startswith("ragate ")]
        return shlex.split(found["run"]), {QUEUE: found["env"][QUEUE]}

    return Example(
        len(jobs["worker"]["strategy"]["matrix"]["machine"]), step("worker"), step("check")
    )


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> tuple[SlowProject, Path]:
    """A project, and the checkout in which one process has judged its change."""
    project = SlowProject(tmp_path_factory.mktemp("alone"), samples=SAMPLES)
    one = project.clone("one")
    assert ragate(one, "baseline", "update").returncode == 0
    project.answer(wrong=tuple(range(0, SAMPLES, 4)), seconds=0.2)
    assert ragate(one, "check").returncode == 1
    return project, one


def test_each_file_starts_as_many_workers_and_the_commands_that_are_run_here() -> None:
    run = workflow()

    for example in (kubernetes(), compose()):
        assert example.replicas == run.replicas
        assert example.worker[0] == run.worker[0][: len(example.worker[0])]
        assert example.check[0] == run.check[0][: len(example.check[0])]


def test_its_workers_answer_and_its_run_says_what_one_process_says(
    alone: tuple[SlowProject, Path], database: PostgresDatabase
) -> None:
    example = workflow()
    project, one = alone
    many = project.clone("many")
    shutil.copy(one / "baseline.json", many)
    project.forget_asked()
    workers = []
    with fresh_queue(database.conninfo()) as queue:
        try:
            for number in range(example.replicas):
                clone = project.clone(f"worker{number}")
                workers.append(subprocess.Popen(**process(*example.worker, clone, queue)))
            done = subprocess.Popen(**process(*example.check, many, queue))
            said, _ = done.communicate(timeout=120)
        finally:
            for each in workers:
                each.terminate()
            left = [each.communicate(timeout=30)[0] for each in workers]
    assert done.returncode == 1, said + "".join(left)
    assert report_of(many) == report_of(one)
    asked = [project.asked_by(each.pid) for each in workers]
    assert project.asked_by(done.pid) == 0
    assert sum(asked) == sum(project.asked().values()) >= SAMPLES


def process(
    command: list[str], variables: Mapping[str, str], folder: Path, queue: str
) -> dict[str, Any]:
    """Return how a container's or a step's command is started in its own checkout."""
    assert command[0] == "ragate"
    assert QUEUE in variables
    env = {**CLEAN, QUEUE: queue, "PATH": f"{Path(sys.executable).parent}:{CLEAN['PATH']}"}
    return {
        "args": [RAGATE, *command[1:]],
        "cwd": folder,
        "env": env,
        "stdout": subprocess.PIPE,
        "stderr": subprocess.STDOUT,
        "text": True,
    }


@pytest.mark.parametrize("version", ["1.30.0", "1.33.0"])
def test_the_manifests_are_valid_by_their_schema(version: str):
    validation = pytest.importorskip(
        "kubernetes_validate", reason="kubernetes-validate, of the extra dev, is not installed"
    )
    for manifest in manifests():
        validation.validate(manifest, version, strict=True)


@pytest.mark.parametrize(
    ("schema", "name"),
    [("vendor.compose-spec", "compose.yaml"), ("vendor.github-workflows", "workflow.yml")],
)
def test_the_file_is_valid_by_its_schema(schema: str, name: str):
    pytest.importorskip(
        "check_jsonschema", reason="check-jsonschema, of the extra dev, is not installed"
    )
    arguments = ["--builtin-schema", schema, str(FOLDER / name)]
    found = subprocess.run(
        [sys.executable, "-m", "check_jsonschema", *arguments], capture_output=True, text=True
    )

    assert found.returncode == 0, found.stdout


def test_a_worker_has_time_to_end_and_the_pods_select_themselves():
    deployment, _ = manifests()
    template = deployment["spec"]["template"]

    assert deployment["spec"]["selector"]["matchLabels"] == template["metadata"]["labels"]
    assert template["spec"]["terminationGracePeriodSeconds"] > 5
    services = yaml.safe_load((FOLDER / "compose.yaml").read_text())["services"]
    assert int(services["worker"]["stop_grace_period"].rstrip("s")) > 5


def test_the_state_folder_of_the_image_is_the_one_that_is_mounted():
    dockerfile = (FOLDER / "Dockerfile").read_text()
    (state,) = re.findall(r"^ENV RAGATE_STATE_DIR=(\S+)$", dockerfile, re.MULTILINE)
    for manifest in manifests():
        (container,) = manifest["spec"]["template"]["spec"]["containers"]
        assert [one["mountPath"] for one in container["volumeMounts"]] == [state]
        assert {"name": "RAGATE_STATE_DIR", "value": state} in container["env"]
