"""The action's image and what it does, in seconds and bytes; needs a container engine.

    tests/container/setup_engine.sh && python -m benchmarks.image

Each figure is the best of the repeats, beside all of them: other processes can only add to it.
"Whole gate" is our manual in a container against a Postgres that knows nothing of it yet; the pull
requests meet the index of the base, as in a job whose service or cache holds it.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.container.engine import Engine, find_engine
from tests.container.images import ROOT, action_image, postgres_image
from tests.container.manual import copy_manual, gated_manual, run_command
from tests.container.runner import StepResult, run_step
from tests.container.service import Job, job_with_postgres
from tests.e2e.action.forge import Forge
from tests.servers.github_stub import github_stub

REPEATS = 3
LIMIT_MB = 300.0


@dataclass
class Bench:
    """An engine with both images, and a folder that is gone afterwards."""

    engine: Engine
    image: str
    folder: Path
    worst: list[str] = field(default_factory=list)
    made: int = 0

    def workspace(self) -> Path:
        self.made += 1
        path = self.folder / f"w{self.made}"
        path.mkdir()
        return path

    def show(self, name: str, values: list[float], limit: float, unit: str = "s") -> None:
        best = min(values)
        verdict = "ok" if best <= limit else "OVER"
        if verdict != "ok":
            self.worst.append(name)
        every = ", ".join(f"{value:.2f}" for value in sorted(values))
        print(f"{name}: {best:.2f} {unit} (limit {limit:g}) {verdict}; all: {every}", flush=True)

    @contextmanager
    def service(self) -> Iterator[Job]:
        with job_with_postgres(self.engine, postgres_image(self.engine)) as job:
            yield job


def size(bench: Bench) -> None:
    described = json.loads(bench.engine.call("image", "inspect", bench.image))[0]
    bench.show("image, uncompressed", [described["Size"] / 1e6], LIMIT_MB, "MB")


def start(bench: Bench) -> None:
    """From the engine's start to the first line that the step prints."""

    def first_line(**options: Any) -> float:
        step = run_step(
            ROOT, workspace=bench.workspace(), engine=bench.engine, image=bench.image, **options
        )
        assert step.first_line_seconds is not None, step.log
        return step.first_line_seconds

    command = [first_line(entrypoint=["ragate", "--version"]) for _ in range(REPEATS)]
    bench.show("container to first line, ragate --version", command, 1.0)
    action = [first_line(inputs={"github-token": ""}) for _ in range(REPEATS)]
    bench.show("container to first line, the action", action, 1.0)


def whole_gate(bench: Bench) -> None:
    values = []
    for _ in range(REPEATS):
        workspace = bench.workspace()
        copy_manual(workspace)
        with bench.service() as job:
            run = run_command(job, bench.image, workspace, "ragate", "check")
        assert "ingested" in run.log, run.log
        values.append(run.seconds)
    bench.show("our manual's whole gate, index included", values, 30.0)


def pull_requests(bench: Bench) -> None:
    with bench.service() as job, github_stub(bench.folder / "github") as github:
        files = gated_manual(job, bench.image, bench.workspace())
        forge = Forge(github, bench.folder)
        forge.start(files)
        worse = files["ragate.toml"].replace(b"top_k         = 10", b"top_k         = 1")
        judge = _judge(bench, forge, job)
        green = [judge({"web/page.html": b"<p>hello</p>"}, 0) for _ in range(REPEATS)]
        bench.show("unaffected pull request, whole step", [s.seconds for s in green], 20.0)
        red = [judge({"ragate.toml": worse}, 1) for _ in range(REPEATS)]
        bench.show("deterministic red, whole step", [s.seconds for s in red], 15.0)
        page = files["docs/tutorial.md"] + b"\nOne sentence more about nothing.\n"
        edited = [judge({"docs/tutorial.md": page}, 0) for _ in range(REPEATS)]
        bench.show("a changed page, whole step", [s.seconds for s in edited], 30.0)


def _judge(bench: Bench, forge: Forge, job: Job) -> Callable[[dict[str, bytes], int], StepResult]:
    def judge(change: dict[str, bytes], code: int) -> StepResult:
        step = forge.check(
            forge.change(change),
            engine=bench.engine,
            image=bench.image,
            network="host",
            hosts={"postgres": job.address},
            inputs={"gate": "docs", "database-url": job.url},
        )
        assert step.exit_code == code, step.raw_log
        return step

    return judge


def main() -> int:
    engine = find_engine()
    if isinstance(engine, str):
        print(engine)
        return 3
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    print(f"{engine.call('--version')}; load average {load} on {os.cpu_count()} cores")
    with TemporaryDirectory(prefix="ragate-bench-") as folder:
        bench = Bench(engine, action_image(engine), Path(folder))
        for part in (size, start, whole_gate, pull_requests):
            part(bench)
    return 1 if bench.worst else 0


if __name__ == "__main__":
    sys.exit(main())
