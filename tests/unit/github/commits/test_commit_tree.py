"""Files of a commit, from the local repository and from the API: there, absent, or unreadable."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ragate.errors import RagateError
from ragate.github.commits.commit_tree import Tree
from tests.unit.github.commits.tree_factories import FILES

Make = Callable[[Path], Tree]


def test_what_is_there_is_read_and_what_is_not_is_none(tree: Tree) -> None:
    assert tree.read("app/golden.jsonl") == FILES["app/golden.jsonl"].encode()
    assert tree.read("app/empty") == b""
    assert tree.read("réd me.txt") == "é".encode()
    for absent in ("ragate.toml", "app/none", "none/at/all", "app/*"):
        assert tree.read(absent) is None
    assert tree.list("app") == ["empty", "golden.jsonl", "ragate.toml"]
    assert tree.list("app/baselines") == ["gate.json"]
    assert tree.list("none") == []


@pytest.mark.parametrize("path", ["app/link.jsonl", "linked/ragate.toml", "app", "linked"])
def test_links_and_folders_are_refused_rather_than_absent(tree: Tree, path: str) -> None:
    with pytest.raises(RagateError):
        tree.read(path)
