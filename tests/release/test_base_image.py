"""The image's base: named by a digest, and moved by a pull request alone."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.release.check import ROOT

DOCKERFILE = (ROOT / "Dockerfile").read_text()
WORKFLOW: dict[Any, Any] = yaml.safe_load((ROOT / ".github/workflows/base-image.yml").read_text())
PINNED = re.compile(r"[a-z0-9./_-]+:[A-Za-z0-9._-]+@sha256:[0-9a-f]{64}")
NEWER = f"sha256:{'a1' * 32}"


def loose_bases(dockerfile: str) -> list[str]:
    """Return the bases that are named by no tag and digest; stages of the file are none."""
    arguments = dict(re.findall(r"^ARG (\w+)=(\S+)", dockerfile, re.MULTILINE))
    stages: set[str] = set()
    loose = []
    for image, stage in re.findall(
        r"^FROM (?:--\S+ )*(\S+)(?: AS (\S+))?", dockerfile, re.MULTILINE | re.IGNORECASE
    ):
        base = re.sub(r"\$\{?(\w+)\}?", lambda name: arguments.get(name[1], ""), image)
        if base not in stages and not PINNED.fullmatch(base):
            loose.append(image)
        stages.add(stage)
    return loose


def test_every_base_of_the_image_is_named_by_its_digest():
    assert "FROM ${BASE}" in DOCKERFILE
    assert loose_bases(DOCKERFILE) == []


@pytest.mark.parametrize(
    "base",
    [
        "debian:bookworm-slim",
        "debian",
        f"debian@{NEWER}",
        f"debian:bookworm-slim@{NEWER[:-1]}",
        "debian:bookworm-slim@sha512:00",
        "",
    ],
)
def test_a_base_without_a_digest_is_found(base: str):
    text = re.sub(r"(?m)^ARG BASE=.*$", f"ARG BASE={base}", DOCKERFILE)

    assert loose_bases(text) == ["${BASE}", "${BASE}"]
    assert loose_bases(f"FROM --platform=linux/amd64 {base or 'x'} AS last\n")


def bump(folder: Path, digest: str) -> subprocess.CompletedProcess[bytes]:
    command = [str(ROOT / ".ci/bump-base"), digest]
    return subprocess.run(command, cwd=folder, check=False, capture_output=True)


def test_a_newer_digest_takes_the_place_of_the_base_and_of_nothing_else(tmp_path: Path):
    shutil.copy(ROOT / "Dockerfile", tmp_path)

    assert bump(tmp_path, NEWER).returncode == 0

    bumped = (tmp_path / "Dockerfile").read_text()
    old, new = ({*text.splitlines()} for text in (DOCKERFILE, bumped))
    assert new - old == {f"ARG BASE=debian:bookworm-slim@{NEWER}"}
    assert len(old - new) == 1
    assert bump(tmp_path, NEWER).returncode == 0
    assert (tmp_path / "Dockerfile").read_text() == bumped


@pytest.mark.parametrize("digest", ["", "sha256:12", "x", f"{NEWER}|", f"{NEWER}\n", "bookworm"])
def test_what_is_no_digest_changes_nothing(tmp_path: Path, digest: str):
    shutil.copy(ROOT / "Dockerfile", tmp_path)

    assert bump(tmp_path, digest).returncode == 2
    assert (tmp_path / "Dockerfile").read_text() == DOCKERFILE


def test_a_dockerfile_without_a_pinned_base_is_refused(tmp_path: Path):
    (tmp_path / "Dockerfile").write_text("ARG BASE=debian:bookworm-slim\nFROM ${BASE}\n")

    assert bump(tmp_path, NEWER).returncode == 2


def test_the_bump_is_a_pull_request_of_a_schedule_and_pushes_to_no_branch_of_ours():
    (job,) = WORKFLOW["jobs"].values()
    last = job["steps"][-1]["run"]

    assert set(WORKFLOW[True]) == {"schedule", "workflow_dispatch"}
    assert job["permissions"] == {"contents": "write", "pull-requests": "write"}
    assert re.findall(r"git push (.*)", last) == ['origin "$BRANCH"']
    assert "gh pr create" in last
