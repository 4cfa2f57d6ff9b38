"""The image: what it holds, what it leaves out, and how it starts."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from packaging.utils import canonicalize_name

from tests.container.engine import Engine
from tests.container.images import ROOT, build
from tests.container.lock import locked
from tests.container.runner import run_step
from tests.container.variables import give_to_runner
from tests.repositories import commit, git

pytestmark = pytest.mark.container

# 299 MB where it was measured last; Debian's updates and engines' ways to count need some room.
MOST_BYTES = 315_000_000
# Measured in benchmarks/results/image.txt; here with room for a busy machine.
FIRST_LINE_S = 5.0
FACTS = """
import importlib.metadata, json, os, shutil, sys
print(json.dumps({
    "installed": {d.name: d.version for d in importlib.metadata.distributions()},
    "programs": [p for p in %r if shutil.which(p)],
    "left": [p for p in %r if os.path.isfile(p) or os.path.isdir(p) and os.listdir(p)],
    "safe": sys.flags.safe_path,
    "uid": os.getuid(),
}))
"""
# In Python 3.11.2, which the image has, `re` cuts words off where a possessive quantifier has a
# group.
READ = """
import sys
from ragate.core.text.statements import names
from ragate.core.text.numerals import numerals
from ragate.core.text.segmentation import words
from ragate.core.text.sentences import split_sentences
for line in sys.stdin.read().splitlines():
    found = [words(line), split_sentences(line), numerals(line), names(line)]
    print([list(items) for items in found])
"""
# What LlamaIndex does for us, without a network: windows for a judge, by its tokeniser, and pages
# that are cut into chunks.
CUT = """
import sys
from ragate.contrib.llamaindex_judge.prompts import load_prompts
from ragate.contrib.llamaindex_judge.settings import Settings as JudgeSettings
from ragate.contrib.llamaindex_judge.prompts import windows
from ragate.systems.pgvector.chunking import cut
from ragate.systems.pgvector.corpus import Document
from ragate.systems.pgvector.settings import Settings
text = sys.stdin.read()
settings = JudgeSettings(provider="p", model="m", context_window=2000)
for part in windows(load_prompts(""), "faithfulness", "What is it?", [text], settings):
    print(repr(part))
for chunks in cut([Document("a", "markdown", text, "")], Settings(corpus="docs", chunk_size=128)):
    print([repr(chunk) for chunk in chunks])
"""
# Every module of ours is loaded; printed is what is not there for it.
LOAD = """
import importlib, pkgutil, ragate
lacking = set()
for module in pkgutil.walk_packages(ragate.__path__, "ragate."):
    try:
        importlib.import_module(module.name)
    except ModuleNotFoundError as error:
        lacking.add(error.name)
print(*sorted(lacking))
"""
UNWANTED = ("gcc", "cc", "g++", "make", "ld", "pip", "pip3", "initdb", "pg_ctl", "curl", "wget")
LEFT_OVERS = (
    *("/src", "/tmp/wheel", "/opt/build", "/opt/package", "/root/.cache", "/etc/pip.conf"),
    *("/run/secrets/ca.pem", "/var/cache/apt/archives", "/var/lib/apt/lists"),
)


@pytest.fixture(scope="module")
def facts(engine: Engine, image: str) -> dict[str, Any]:
    """What a look into the image tells."""
    program = FACTS % (UNWANTED, LEFT_OVERS)
    shown = engine.call("run", "--rm", "--entrypoint", "python", image, "-P", "-c", program)
    found: dict[str, Any] = json.loads(shown)
    return found


@pytest.fixture(scope="module")
def description(engine: Engine, image: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(engine.call("image", "inspect", image))[0]
    return found


def test_the_image_is_small(description: Mapping[str, Any]):
    assert description["Size"] <= MOST_BYTES


def test_the_image_says_what_it_is(description: Mapping[str, Any]):
    labels = description["Config"]["Labels"]

    assert labels["org.opencontainers.image.title"] == "ragate"
    assert labels["org.opencontainers.image.licenses"] == "Apache-2.0"
    for name in ("description", "source", "revision", "version"):
        assert f"org.opencontainers.image.{name}" in labels


def test_a_release_writes_its_source_commit_and_version_into_the_labels(
    engine: Engine, image: str, tmp_path: Path
):
    # The labels' part of the Dockerfile alone: podman's cache does not look at build arguments.
    text = (ROOT / "Dockerfile").read_text()
    labels = text[text.index("ARG SOURCE") : text.index("# As root")]
    (tmp_path / "Dockerfile").write_text(f"FROM {image}\n{labels}")
    given = {"SOURCE": "https://example.org/r", "REVISION": "a" * 40, "VERSION": "9.8.7"}
    options = [part for pair in given.items() for part in ("--build-arg", "=".join(pair))]

    build(engine, "ragate-test-labels", tmp_path, ["--no-cache", *options])

    found = json.loads(engine.call("image", "inspect", "ragate-test-labels"))[0]["Config"]["Labels"]
    engine.call("rmi", "ragate-test-labels", check=False)
    for key, value in given.items():
        assert found[f"org.opencontainers.image.{key.lower()}"] == value


def test_the_image_starts_the_action_and_nothing_of_the_workspace(description: Mapping[str, Any]):
    assert description["Config"]["Entrypoint"] == ["python", "-P", "-m", "ragate.github"]


def test_the_image_holds_what_the_lock_says_and_ragate(facts: Mapping[str, Any]):
    installed = {canonicalize_name(name): v for name, v in facts["installed"].items()}
    version = installed.pop(canonicalize_name("ragate"))

    assert installed == locked(ROOT / "requirements" / "image.txt")
    assert f'"{version}"' in (ROOT / "ragate" / "version.py").read_text()


def test_the_image_has_no_compiler_installer_database_server_or_downloader(
    facts: Mapping[str, Any],
):
    assert facts["programs"] == []


def test_nothing_of_the_build_is_left_in_the_image(facts: Mapping[str, Any]):
    assert facts["left"] == []


@pytest.mark.parametrize("program", [READ, CUT], ids=["read", "cut"])
def test_the_image_reads_texts_as_this_interpreter_does(engine: Engine, image: str, program: str):
    text = (ROOT / "docs" / "metrics.md").read_text()
    here = [sys.executable, "-c", program]
    options = ("--rm", "--interactive", "--network", "none", "--entrypoint", "python")
    there = [engine.program, "run", *options, image, "-P", "-c", program]

    ours, theirs = (
        subprocess.run(command, input=text, capture_output=True, text=True, check=True, env=env)
        for command, env in ((here, None), (there, engine.environment()))
    )

    assert len(ours.stdout) > 10_000
    assert theirs.stdout == ours.stdout


def test_the_image_lacks_what_serves_an_extra_or_pytest_alone(engine: Engine, image: str):
    shown = engine.call("run", "--rm", "--entrypoint", "python", image, "-P", "-c", LOAD)

    assert shown.split() == ["grpc", "mcp", "mcp_types", "procrastinate", "pytest"]


def test_the_container_is_root_as_github_wants_it(facts: Mapping[str, Any]):
    assert facts["uid"] == 0


def test_no_build_setting_of_this_machine_is_in_the_history(engine: Engine, image: str):
    shown = engine.call("history", "--no-trunc", "--format", "{{.CreatedBy}}", image)

    assert "://" not in shown


def test_a_container_says_its_first_line_soon(engine: Engine, image: str, tmp_path: Path):
    result = run_step(
        ROOT, workspace=tmp_path, engine=engine, image=image, entrypoint=["ragate", "--version"]
    )

    assert result.exit_code == 0
    assert result.log.startswith("ragate, version")
    assert result.first_line_seconds is not None
    assert result.first_line_seconds < FIRST_LINE_S


def plant(workspace: Path) -> None:
    """Put into a workspace what would run if the working directory were on the import path."""
    (workspace / "ragate" / "github").mkdir(parents=True)
    for name in ("ragate/__init__", "ragate/github/__main__", "json", "click", "sitecustomize"):
        mark = f"open('/github/workspace/ran-{name.replace('/', '-')}', 'w').close()\n"
        (workspace / f"{name}.py").write_text(mark)


def planted(workspace: Path) -> list[str]:
    return sorted(path.name for path in workspace.glob("ran-*"))


def test_a_workspace_cannot_stand_in_for_our_modules(engine: Engine, image: str, tmp_path: Path):
    plant(tmp_path)

    run_step(ROOT, workspace=tmp_path, engine=engine, image=image, inputs={"github-token": ""})

    assert planted(tmp_path) == []


def test_without_p_the_same_workspace_would_have_run(engine: Engine, image: str, tmp_path: Path):
    plant(tmp_path)
    unsafe = ["python", "-m", "ragate.github"]

    run_step(ROOT, workspace=tmp_path, engine=engine, image=image, entrypoint=unsafe)

    assert "ran-ragate-__init__" in planted(tmp_path)


def test_modules_in_the_home_folder_do_not_count(engine: Engine, image: str, tmp_path: Path):
    program = "import site, sys; print(site.ENABLE_USER_SITE, [p for p in sys.path if 'home' in p])"

    result = run_step(
        ROOT,
        workspace=tmp_path,
        engine=engine,
        image=image,
        entrypoint=["python", "-P", "-c", program],
    )

    assert result.log.strip() == "False []"


def test_a_repository_of_another_user_is_read(engine: Engine, image: str, tmp_path: Path):
    commit = committed(tmp_path)
    give_to_runner(tmp_path)
    program = (
        "from pathlib import Path; from ragate.repository.git import *; print(head_commit(Path()))"
    )

    ours = run_step(
        ROOT,
        workspace=tmp_path,
        engine=engine,
        image=image,
        entrypoint=["python", "-P", "-c", program],
    )
    plain = run_step(
        ROOT,
        workspace=tmp_path,
        engine=engine,
        image=image,
        entrypoint=["git", "rev-parse", "HEAD"],
    )

    assert ours.log.strip() == commit
    assert plain.exit_code == 128
    assert "dubious ownership" in plain.log


def committed(folder: Path) -> str:
    """Make `folder` a repository with one commit and return its sha."""
    (folder / "a.md").write_text("text\n")
    git(folder, "init", "-q")
    commit(folder)
    return git(folder, "rev-parse", "HEAD")
