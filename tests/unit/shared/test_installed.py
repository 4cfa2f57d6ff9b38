"""How an extra is had, and versions that are not known."""

from __future__ import annotations

import json

import pytest

from ragate import installed
from ragate.errors import NotInstalledError
from ragate.installed import install_line, refuse_other_version


class Distribution:
    def __init__(self, told: object) -> None:
        self._told = told

    def read_text(self, name: str) -> str | None:
        assert name == "direct_url.json"
        return None if self._told is None else json.dumps(self._told)


CLONE = {"url": "file:///home/me/my%20ragate", "dir_info": {"editable": True}}
REPOSITORY = {
    "url": "https://example.org/ragate.git",
    "vcs_info": {"vcs": "git", "commit_id": "0a" * 20},
}


@pytest.mark.parametrize(
    ("told", "line"),
    [
        (None, "pip install 'ragate[mcp]'"),
        (CLONE, "pip install -e '/home/me/my ragate[mcp]'"),
        ({**CLONE, "dir_info": {}}, "pip install '/home/me/my ragate[mcp]'"),
        (
            REPOSITORY,
            f"pip install 'ragate[mcp] @ git+https://example.org/ragate.git@{'0a' * 20}'",
        ),
    ],
)
def test_an_extra_comes_from_where_ragate_came_from(
    monkeypatch: pytest.MonkeyPatch, told: object, line: str
) -> None:
    monkeypatch.setattr(installed, "distribution", lambda _name: Distribution(told))

    assert install_line("mcp") == line


@pytest.mark.parametrize(
    ("package", "found", "command"),
    [
        ("openai", "1.109.1", "pip install 'openai>=2,<4'"),
        ("openai", "4.0.0", "pip install 'openai>=2,<4'"),
        ("llama-index-core", "0.12.52.post1", "pip install 'llama-index-core>=0.13,<0.15'"),
        ("llama-index-core", "0.15.0", "pip install 'llama-index-core>=0.13,<0.15'"),
    ],
)
def test_another_version_is_refused_with_the_command(
    monkeypatch: pytest.MonkeyPatch, package: str, found: str, command: str
) -> None:
    monkeypatch.setattr(installed, "version", lambda _name: found)

    with pytest.raises(NotInstalledError, match=f"{found} is installed") as raised:
        refuse_other_version(package)

    assert raised.value.remedy.startswith(command)


@pytest.mark.parametrize(
    ("package", "found"),
    [("openai", "2.0.0"), ("openai", "3.57.0"), ("llama-index-core", "0.13.0")],
)
def test_a_version_that_is_declared_is_taken(
    monkeypatch: pytest.MonkeyPatch, package: str, found: str
) -> None:
    monkeypatch.setattr(installed, "version", lambda _name: found)

    refuse_other_version(package)
