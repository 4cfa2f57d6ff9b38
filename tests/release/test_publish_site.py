"""What a release puts on the branch of GitHub Pages."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.repositories import git

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / ".ci/publish-site"


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A clone of a repository that never published a manual."""
    git(tmp_path, "init", "--quiet", "--bare", "--initial-branch=main", "origin")
    git(tmp_path, "clone", "--quiet", "origin", "clone")
    clone = tmp_path / "clone"
    git(clone, "config", "user.name", "a")
    git(clone, "config", "user.email", "a@example.org")
    git(clone, "commit", "--quiet", "--allow-empty", "--message", "first")
    git(clone, "push", "--quiet", "origin", "HEAD:main")
    return clone


def publish(clone: Path, version: str) -> subprocess.CompletedProcess[str]:
    site = clone.parent / version
    site.mkdir(exist_ok=True)
    (site / "index.html").write_text(f"the manual of {version}")
    return subprocess.run([SCRIPT, site, version], cwd=clone, capture_output=True, text=True)


def test_every_release_keeps_its_manual_and_the_newest_is_the_latest(clone: Path) -> None:
    for version in ("v1.2.0", "v1.10.0", "v1.2.1"):
        done = publish(clone, version)
        assert done.returncode == 0, done.stderr
    origin = clone.parent / "origin"

    assert json.loads(git(origin, "show", "gh-pages:versions.json")) == [
        "v1.10.0", "v1.2.1", "v1.2.0"
    ]  # fmt: skip
    for version in ("v1.2.0", "v1.2.1", "v1.10.0"):
        shown = git(origin, "show", f"gh-pages:{version}/index.html")
        assert shown == f"the manual of {version}"
    assert git(origin, "show", "gh-pages:latest/index.html") == "the manual of v1.10.0"
    assert "url=latest/" in git(origin, "show", "gh-pages:index.html")
    assert ".nojekyll" in git(origin, "ls-tree", "--name-only", "gh-pages").split()


def test_a_release_that_is_published_again_takes_its_own_place(clone: Path) -> None:
    publish(clone, "v1.0.0")
    (clone.parent / "v1.0.0/new.html").write_text("new")
    assert publish(clone, "v1.0.0").returncode == 0

    names = git(clone.parent / "origin", "ls-tree", "-r", "--name-only", "gh-pages").split()
    assert names == [
        ".nojekyll", "index.html", "latest/index.html", "latest/new.html",
        "v1.0.0/index.html", "v1.0.0/new.html", "versions.json",
    ]  # fmt: skip


@pytest.mark.parametrize("version", ["main", "v1", "v1.2.3-rc1", "../v1.2.3"])
def test_what_is_no_release_is_refused(clone: Path, tmp_path: Path, version: str) -> None:
    (tmp_path / "index.html").write_text("a")
    done = subprocess.run([SCRIPT, tmp_path, version], cwd=clone, capture_output=True, text=True)

    assert done.returncode == 2
