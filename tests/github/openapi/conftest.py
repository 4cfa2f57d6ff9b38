"""The stub behind a proxy that knows GitHub's own description of the API."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.github.openapi.description import RAW_TYPE, cut, examples
from tests.github.openapi.proxy import judging_proxy, packages, read_json
from tests.servers.github_stub import GitHub, github_stub


@pytest.fixture(scope="session")
def modules() -> Path:
    """The folder of npm packages."""
    return packages()


@pytest.fixture(scope="session")
def judged_github(modules: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[GitHub]:
    """A stub whose `url` is the proxy's: both sides are judged."""
    with judged_stub(modules, tmp_path_factory.mktemp("github")) as github:
        yield github


@contextmanager
def judged_stub(modules: Path, folder: Path) -> Iterator[GitHub]:
    """Yield a stub of its own behind a proxy of its own."""
    whole = read_json(modules / "@octokit/openapi/generated/api.github.com.json")
    description = cut(whole)
    (folder / "description.json").write_text(json.dumps(description))
    with (
        github_stub(folder, examples=examples(description), raw_type=RAW_TYPE) as github,
        judging_proxy(modules, folder / "description.json", github.url) as url,
    ):
        github.url = url
        yield github
