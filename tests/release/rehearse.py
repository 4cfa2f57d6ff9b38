"""Rehearse a release on this machine: what .github/workflows/release.yml does, at stand-ins.

    make rehearse                                       # everything
    python -m tests.release.rehearse --without-image    # without a container engine; a minute

The last commit is released, under a changelog that is dated for it. Shell lines are those of the
workflow. A bare repository stands in for GitHub, a folder served on loopback for PyPI, a local
engine for the image's registry. Then the package is installed from there and tried, and the action
is run by its tag. docs/releasing.md says what only a real release shows.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import yaml

import ragate
from ragate.version import REPOSITORY
from tests.container.engine import Engine, find_engine
from tests.container.images import build_action
from tests.container.variables import give_to_runner
from tests.e2e.action.forge import Forge, outputs, recorded_project
from tests.release.workflow import Runner, StandIn
from tests.servers.github_stub import github_stub

ROOT = Path(__file__).parents[2]
WORKFLOW: dict[str, Any] = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text())
# Actions that do nothing here: what they do needs GitHub, its registry or Sigstore.
ONLY_REAL = (
    "actions/attest-build-provenance",
    "docker/login-action",
    "docker/setup-buildx-action",
)
# How many recipes .ci/try-package runs.
RECIPES = 2
# Of an image that was not built; nobody can pull it.
NO_DIGEST = f"sha256:{'0' * 64}"


@dataclass
class Release:
    """What is released, and the folder that stands in for GitHub and PyPI."""

    folder: Path
    engine: Engine | None = None
    version: str = ragate.__version__

    @property
    def tag(self) -> str:
        return f"v{self.version}"

    @property
    def repository(self) -> Path:
        return self.folder / "ragate.git"

    @property
    def index(self) -> Path:
        return self.folder / "index"

    @property
    def page(self) -> Path:
        """The release on GitHub: its title, notes and files."""
        return self.folder / "releases" / self.tag

    def git(self, *arguments: str) -> str:
        """Run git in the bare repository and return what it printed."""
        return _run("git", "--git-dir", str(self.repository), *arguments)


def _run(*command: str, cwd: Path | None = None, env: Mapping[str, str] | None = None) -> str:
    done = subprocess.run(
        command, cwd=cwd, env=env, check=False, capture_output=True, text=True, timeout=900
    )
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout.strip()


def tag_release(release: Release, root: Path = ROOT) -> None:
    """Do what the maintainer does: date the changelog, commit, and push the tag.

    A major tag of the release before is there, for the workflow to move.
    """
    _run("git", "clone", "--quiet", "--bare", str(root), str(release.repository))
    major = release.tag.partition(".")[0]
    release.git("tag", "--force", major, "HEAD")
    work = release.folder / "maintainer"
    _run("git", "clone", "--quiet", str(release.repository), str(work))
    changelog = work / "CHANGELOG.md"
    text = changelog.read_text("utf-8")
    changelog.write_text(
        text.replace(f"## {release.version} (unreleased)", f"## {release.version} (2030-01-02)"),
        encoding="utf-8",
    )
    who = ("-c", "user.name=maintainer", "-c", "user.email=maintainer@example.org")
    _run("git", *who, "commit", "-q", "--allow-empty", "-am", f"Release {release.tag}", cwd=work)
    _run("git", "tag", "--force", release.tag, cwd=work)
    _run("git", "push", "-q", "--force", "origin", f"refs/tags/{release.tag}", cwd=work)


def run_workflow(release: Release, workflow: Mapping[str, Any] = WORKFLOW) -> Runner:
    """Run the release's workflow on the tag."""
    python = release.folder / "python"
    if workflow is WORKFLOW:  # a part of it installs nothing
        _run(sys.executable, "-m", "venv", str(python))
    programs = release.folder / "bin"
    programs.mkdir()
    shutil.copy(Path(__file__).with_name("gh"), programs)
    commit = release.git("rev-parse", f"{release.tag}^{{commit}}")
    path = os.pathsep.join([str(programs), str(python / "bin"), os.environ["PATH"]])
    runner = Runner(
        release.folder,
        variables={
            "PATH": path,
            "FORGE": str(release.folder),
            "GIT_CONFIG_GLOBAL": str(release.folder / "gitconfig"),
            "GITHUB_REF_NAME": release.tag,
            "GITHUB_REPOSITORY": REPOSITORY,
            "GITHUB_SHA": commit,
            "RUNNER_TEMP": str(release.folder),
        },
        values={
            "github.actor": "maintainer",
            "github.ref_name": release.tag,
            "github.repository": REPOSITORY,
            "github.server_url": "https://github.com",
            "github.sha": commit,
            "github.token": "no-token",
        },
        actions=stand_ins(release),
        lines={".ci/run": _dependencies},
    )
    runner.run(workflow)
    return runner


def stand_ins(release: Release) -> dict[str, StandIn]:
    """Return what each action of the workflow does here."""

    def checkout(_given: Mapping[str, str], job: Path) -> dict[str, str]:
        _run("git", "clone", "-q", "--branch", release.tag, str(release.repository), str(job))
        return {}

    def upload(given: Mapping[str, str], job: Path) -> dict[str, str]:
        shutil.copytree(job / given["path"], release.folder / "artifacts" / given["name"])
        return {}

    def download(given: Mapping[str, str], job: Path) -> dict[str, str]:
        shutil.copytree(release.folder / "artifacts" / given["name"], job / given["path"])
        return {}

    def nothing(_given: Mapping[str, str], _job: Path) -> dict[str, str]:
        return {}

    return {
        **dict.fromkeys(ONLY_REAL, nothing),
        "actions/checkout": checkout,
        "actions/setup-python": nothing,  # PATH has one
        "actions/upload-artifact": upload,
        "actions/download-artifact": download,
        "docker/build-push-action": partial(_build_image, release),
        "pypa/gh-action-pypi-publish": partial(_publish, release),
    }


def _dependencies(_given: Mapping[str, str], job: Path) -> dict[str, str]:
    """Stand in for ``.ci/run``, which is a command of its own: its environment alone."""
    (job / ".venv").symlink_to(sys.prefix)
    return {}


def _build_image(release: Release, given: Mapping[str, str], job: Path) -> dict[str, str]:
    if release.engine is None:
        return {"digest": NO_DIGEST}
    pairs = (line.partition("=") for line in given["build-args"].splitlines())
    arguments = {key: value for key, _, value in pairs}
    build_action(release.engine, given["tags"], job / given["context"], arguments)
    shown = release.engine.call("image", "inspect", "--format", "{{.Digest}}", given["tags"])
    return {"digest": shown}


def _publish(release: Release, _given: Mapping[str, str], job: Path) -> dict[str, str]:
    """Take a package's two files, as PyPI does; each must be of the tag's version."""
    files = {f"ragate-{release.version}.tar.gz", f"ragate-{release.version}-py3-none-any.whl"}
    if (found := set(os.listdir(job / "dist"))) != files:
        raise RuntimeError(f"the package is {sorted(found)}, not {sorted(files)}")
    shutil.copytree(job / "dist", release.index / "simple" / "ragate")
    return {}


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_arguments: object) -> None:
        """Say nothing of each request."""


@contextmanager
def served(release: Release) -> Iterator[str]:
    """Serve the index on loopback and yield its address."""
    handler = partial(_Quiet, directory=str(release.index))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/simple/"
        server.shutdown()


def install(release: Release) -> Path:
    """Install the package, and it alone, from the index into an empty environment."""
    folder = release.folder / "user"
    _run(sys.executable, "-m", "venv", str(folder / "venv"))
    python = str(folder / "venv/bin/python")
    # The caller's indexes do not count here: a package of this name there would be another.
    env = {key: value for key, value in os.environ.items() if not key.startswith("PIP_")}
    with served(release) as address:
        command = ("install", "--quiet", "--no-deps", "--index-url", address)
        wanted = f"ragate=={release.version}"
        pip = (python, "-m", "pip", "--disable-pip-version-check")
        _run(*pip, *command, wanted, env={**env, "PIP_CONFIG_FILE": os.devnull})
        if uvx := shutil.which("uvx"):
            shown = _run(
                uvx, "--no-cache", "--index", address, "--from", wanted, "ragate", "--version"
            )
            assert shown == f"ragate, version {release.version}", shown
    return folder


def try_package(release: Release, folder: Path) -> None:
    """Run the README's recipes with what was installed."""
    script = release.folder / "jobs/package/.ci/try-package"
    said = _run(str(script), str(folder), "ragate[embedded]")
    assert said.count("PASSED (exit 0)") == RECIPES, said


def check_tags(release: Release) -> str:
    """Return the action's image, after a look at what the workflow's tags lead to."""
    action, major = f"action/{release.tag}", release.tag.partition(".")[0]
    assert release.git("rev-parse", f"{action}^{{}}") == release.git("rev-parse", f"{major}^{{}}")
    assert release.git("rev-parse", f"{action}~") == release.git("rev-parse", f"{release.tag}^{{}}")
    changed = release.git("diff", "--unified=0", release.tag, action)
    lines = re.findall(r"^[-+](?![-+]).*", changed, re.MULTILINE)
    assert lines[0] == "-  image: Dockerfile", changed
    (image,) = re.findall(r"^\+  image: docker://(\S+@sha256:[0-9a-f]{64})$", lines[1])
    assert len(lines) == 2, changed
    return str(image)


def check_page(release: Release) -> None:
    """Look at the release's page: notes, and files of which the checksums are right."""
    names = {path.name for path in release.page.iterdir()}
    package = {path.name for path in (release.index / "simple/ragate").iterdir()}
    assert names == package | {"SHA256SUMS", f"ragate-{release.version}.cdx.json", "title", "notes"}
    assert (release.page / "notes").read_text("utf-8").strip()
    for line in (release.page / "SHA256SUMS").read_text().splitlines():
        digest, name = line.split()
        content = (release.page / name).read_bytes()
        assert hashlib.sha256(content).hexdigest() == digest, name


def try_action(release: Release, image: str) -> None:
    """Run the action of the tag on a pull request that breaks something, and on its repair."""
    action = release.folder / "action"
    _run("git", "clone", "-q", "-b", f"action/{release.tag}", str(release.repository), str(action))
    inside: dict[str, Any] = {"engine": release.engine, "image": image, "network": "host"}
    project = recorded_project(release.folder / "project")
    with github_stub(release.folder / "github") as github:
        forge = Forge(github, release.folder / "workspaces", action=action)
        forge.start(project)
        for broken, expected in ((range(12), "failed"), (range(0), "passed")):
            change = forge.change(outputs(broken=broken))
            workspace = give_to_runner(forge.checkout(change.merge))
            result = forge.check(change, workspace=workspace, **(inside if release.engine else {}))
            assert result.outputs["verdict"] == expected, result.log
        assert forge.comment()


def check_site(release: Release) -> None:
    """Look at the branch that GitHub Pages serves."""
    files = release.git("ls-tree", "-r", "--name-only", "gh-pages").splitlines()
    assert {f"{release.tag}/index.html", "latest/index.html", "versions.json"} <= set(files)


def rehearse(release: Release) -> None:
    """Release, install and try."""
    tag_release(release)
    run_workflow(release)
    image = check_tags(release)
    check_page(release)
    check_site(release)
    print(f"released: {release.tag}, the action by {image}", flush=True)
    try_package(release, install(release))
    print("installed from the index; the README's recipes passed", flush=True)
    try_action(release, image)
    if release.engine:
        # By its tag: other names of the same image know nothing of its digest.
        release.engine.call("rmi", f"{image.partition('@')[0]}:{release.tag}")
    where = "in its container" if release.engine else "in a process"
    print(f"the action of the tag ran {where}: red, then green", flush=True)


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="tests.release.rehearse", description=__doc__)
    parser.add_argument("--without-image", action="store_true", help="build and run no image")
    parser.add_argument("--folder", type=Path, help="a new folder, which is kept")
    given = parser.parse_args(arguments)
    engine = None
    if not given.without_image:
        os.environ["RAGATE_ENGINE"] = "podman"  # docker names a digest only when it has pushed
        found = find_engine()
        if isinstance(found, str):
            print(f"{found}\n  -> or rehearse the rest: --without-image")
            return 3
        engine = found
    with TemporaryDirectory(prefix="ragate-release-", ignore_cleanup_errors=True) as scratch:
        folder = given.folder or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        rehearse(Release(folder.resolve(), engine))
    print("Only a real release shows the rest: docs/releasing.md")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
