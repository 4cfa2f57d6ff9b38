"""Our own manual as a repository with a gate, for runs of the action in the container."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

from tests.container.images import ROOT
from tests.container.runner import StepResult, run_step
from tests.container.service import Job

PARTS = ("docs", "evals", "ragate.toml")


def copy_manual(folder: Path) -> None:
    """Copy the manual, its golden set and its gate into `folder`."""
    for name in PARTS:
        source, place = ROOT / name, folder / name
        shutil.copytree(source, place) if source.is_dir() else shutil.copy(source, place)


def run_command(
    job: Job,
    image: str,
    workspace: Path,
    *command: str,
    url: str = "",
    env: Mapping[str, str] | None = None,
) -> StepResult:
    """Run a command of the image on the job's network, with the service as its database."""
    return run_step(
        ROOT,
        workspace=workspace,
        env={"RAGATE_DATABASE_URL": url or job.url, **(env or {})},
        engine=job.engine,
        image=image,
        network=job.network,
        entrypoint=command,
    )


def gated_manual(job: Job, image: str, folder: Path) -> dict[str, bytes]:
    """Return the files of the manual with a baseline of its own, recorded in the container."""
    copy_manual(folder)
    recorded = run_command(job, image, folder, "ragate", "baseline", "update")
    if recorded.exit_code:
        raise RuntimeError(f"no baseline was recorded:\n{recorded.log}")
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and ".ragate" not in path.parts
    }
