"""Files of a commit, from the local repository and from the API: there, absent, or unreadable."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ragate.errors import ConfigError, RagateError
from ragate.github.commits.commit_tree import ApiTree, BaseUnreadableError, GitTree, Tree
from ragate.github.commits.git_objects import changed_files, has_tree, parents
from ragate.github.commits.policy_files import ConfigLocation, policy_files
from ragate.github.rest.api import Api
from ragate.github.rest.repository import Repository
from tests.e2e.action.forge import git
from tests.projects import CONFIG
from tests.servers.github_stub import TOKEN, github_stub

FILES = {
    "app/ragate.toml": CONFIG.format(policy="", metrics=""),
    "app/golden.jsonl": '{"id": "q1", "query": "?"}\n',
    "app/baselines/gate.json": "{}",
    "app/empty": "",
    "réd me.txt": "é",
}
Make = Callable[[Path], Tree]


def local_repository(folder: Path) -> str:
    """Commit the files with a link to a file and one to a folder; return the commit."""
    folder.mkdir()
    git(folder, "init", "--quiet")
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (folder / "linked").symlink_to("app")
    (folder / "app" / "link.jsonl").symlink_to("golden.jsonl")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "-m", "all")
    return git(folder, "rev-parse", "HEAD")


@pytest.fixture(params=["git", "api"])
def tree(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Tree]:
    folder = tmp_path / "local"
    sha = local_repository(folder)
    if request.param == "git":
        yield GitTree(folder, sha)
        return
    with github_stub(tmp_path / "github") as github, Api(github.url, TOKEN) as api:
        git(folder, "push", "--quiet", str(github.git.folder), "HEAD:refs/heads/main")
        yield ApiTree(Repository(api, github.name), sha)


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


def test_the_policys_files_are_written_elsewhere(tree: Tree, tmp_path: Path) -> None:
    config = policy_files(tree, ConfigLocation("app"), tmp_path / "base")
    assert config is not None
    found = sorted(path.name for path in (tmp_path / "base").rglob("*") if path.is_file())
    assert found == ["gate.json", "golden.jsonl", "ragate.toml"]
    assert config.dataset == (tmp_path / "base" / "golden.jsonl").resolve()
    assert policy_files(tree, ConfigLocation(""), tmp_path / "none") is None


class Unreadable:
    """A tree whose files are listed and cannot be read."""

    sha = "0" * 40

    def __init__(self, text: str) -> None:
        self._text = text

    def read(self, path: str) -> bytes | None:
        if path == "ragate.toml":
            return self._text.encode()
        raise RagateError("the API is down")

    def list(self, folder: str) -> list[str]:
        return []


def test_a_file_that_cannot_be_read_is_no_decision_and_a_wrong_policy_is_an_error(
    tmp_path: Path,
) -> None:
    with pytest.raises(BaseUnreadableError) as caught:
        policy_files(Unreadable(FILES["app/ragate.toml"]), ConfigLocation(""), tmp_path)
    assert caught.value.exit_code == 3
    with pytest.raises(ConfigError) as wrong:
        policy_files(Unreadable("[policy"), ConfigLocation(""), tmp_path)
    assert wrong.value.exit_code == 2
    assert "at the base 0000000" in wrong.value.message


def test_a_folder_as_beir_lays_it_out_is_taken_whole(tmp_path: Path) -> None:
    folder = tmp_path / "local"
    folder.mkdir()
    git(folder, "init", "--quiet")
    names = ["beir/queries.jsonl", "beir/qrels/test.tsv", "beir/qrels/dev.tsv", "beir/corpus.jsonl"]
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("x\n")
    text = FILES["app/ragate.toml"]
    for dataset in ("beir", "beir/qrels/test.tsv"):
        (folder / "ragate.toml").write_text(text.replace('"golden.jsonl"', f'"{dataset}"'))
        git(folder, "add", "--all")
        git(folder, "commit", "--quiet", "-m", dataset)
        tree = GitTree(folder, git(folder, "rev-parse", "HEAD"))
        target = tmp_path / dataset.replace("/", "-")
        policy_files(tree, ConfigLocation(""), target)
        found = sorted(path.relative_to(target).as_posix() for path in target.rglob("*.*"))
        assert found == [
            "beir/qrels/dev.tsv",
            "beir/qrels/test.tsv",
            "beir/queries.jsonl",
            "ragate.toml",
        ]


def test_a_shallow_clone_knows_its_parents_and_not_their_files(tmp_path: Path) -> None:
    folder = tmp_path / "local"
    first = local_repository(folder)
    (folder / "new.txt").write_text("x")
    os.rename(folder / "app" / "empty", folder / "app" / "moved")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "-m", "second")
    second = git(folder, "rev-parse", "HEAD")
    assert sorted(changed_files(folder, first, second)) == ["app/empty", "app/moved", "new.txt"]
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{folder}", str(clone))
    assert parents(clone, second) == (first,)
    assert has_tree(clone, second)
    assert not has_tree(clone, first)
