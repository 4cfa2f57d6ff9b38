"""Files of a commit, from the local repository and from the API: there, absent, or unreadable."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from ragate.errors import ConfigError, RagateError
from ragate.github.commits.commit_tree import (
    BaseUnreadableError,
    ConfigLocation,
    GitTree,
    Tree,
    policy_files,
)
from tests.repositories import git
from tests.unit.github.commits.tree_factories import FILES, FilesTree

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


@pytest.mark.parametrize("path", ["..", "../x", "app/../app/golden.jsonl"])
def test_a_path_that_goes_up_is_not_proven_to_be_absent(tree: Tree, path: str) -> None:
    with pytest.raises(BaseUnreadableError, match="goes up"):
        tree.read(path)


def test_the_policys_files_are_written_elsewhere(tree: Tree, tmp_path: Path) -> None:
    config = policy_files(tree, ConfigLocation("app"), tmp_path / "base")
    assert config is not None
    found = sorted(path.name for path in (tmp_path / "base").rglob("*") if path.is_file())
    assert found == ["gate.json", "golden.jsonl", "ragate.toml"]
    assert config.dataset == (tmp_path / "base" / "golden.jsonl").resolve()
    assert policy_files(tree, ConfigLocation(""), tmp_path / "none") is None


def test_a_golden_set_in_folders_of_its_own_is_written_there(tmp_path: Path) -> None:
    text = FILES["app/ragate.toml"].replace('"golden.jsonl"', '"evals/own/golden.jsonl"')
    files = {"ragate.toml": text.encode(), "evals/own/golden.jsonl": b"{}"}

    config = policy_files(FilesTree(files), ConfigLocation(""), tmp_path / "base")

    assert config is not None
    assert config.dataset.read_bytes() == b"{}"


class Unreadable(FilesTree):
    """A tree whose files but the configuration cannot be read."""

    def read(self, path: str) -> bytes | None:
        if path in self.files:
            return super().read(path)
        raise RagateError("the API is down")


def test_a_file_that_cannot_be_read_is_no_decision_and_a_wrong_policy_is_an_error(
    tmp_path: Path,
) -> None:
    with pytest.raises(BaseUnreadableError) as caught:
        policy_files(
            Unreadable({"ragate.toml": FILES["app/ragate.toml"].encode()}),
            ConfigLocation(""),
            tmp_path,
        )
    assert caught.value.exit_code == 3
    assert " at the base 0000000 cannot be read: the API is down" in caught.value.message
    with pytest.raises(ConfigError) as wrong:
        policy_files(Unreadable({"ragate.toml": b"[policy"}), ConfigLocation(""), tmp_path)
    assert wrong.value.exit_code == 2
    assert "at the base 0000000" in wrong.value.message
    assert "0" * 8 not in wrong.value.message


def test_a_base_of_an_earlier_version_judges_the_change_that_brings_it_to_this_one(
    tree: Tree, tmp_path: Path
) -> None:
    files = {name: text.encode() for name, text in FILES.items()}
    files["app/ragate.toml"] = b'[policy.metrics.rbo]\nlevel = "warn"\n' + files["app/ragate.toml"]
    config = policy_files(FilesTree(files), ConfigLocation("app"), tmp_path / "base")

    whole = policy_files(tree, ConfigLocation("app"), tmp_path / "whole")
    assert config is not None
    assert whole is not None
    assert config.policy == whole.policy
    assert (tmp_path / "base" / "ragate.toml").read_text() == FILES["app/ragate.toml"]


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


@pytest.mark.parametrize(
    ("dataset", "others"),
    [
        ("golden.tsv", ()),
        ("evals/golden.tsv", ()),
        ("trec/judged/test.qrels", ("trec/topics.tsv", "trec/judged/dev.txt")),
    ],
)
def test_a_golden_set_of_any_form_is_taken_whole(
    dataset: str, others: tuple[str, ...], tmp_path: Path
) -> None:
    text = FILES["app/ragate.toml"].replace('"golden.jsonl"', f'"{dataset}"')
    files = dict.fromkeys((dataset, *others, "other.txt", "evals/other.jsonl"), b"x")
    tree = FilesTree({"ragate.toml": text.encode(), **files})

    policy_files(tree, ConfigLocation(""), tmp_path)

    taken = {path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.*")}
    assert taken == {"ragate.toml", dataset, *others}


def with_preset(folder: Path, card: str | None) -> Tree:
    """Return a commit whose policy names a preset of the project, which holds `card`."""
    folder.mkdir()
    git(folder, "init", "--quiet")
    text = FILES["app/ragate.toml"]
    named = '[policy.scorecard]\npreset = "evals/card.toml"\n'
    (folder / "ragate.toml").write_text(named + text)
    if card is not None:
        (folder / "evals").mkdir()
        (folder / "evals/card.toml").write_text(card)
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "-m", "a scorecard")
    return GitTree(folder, git(folder, "rev-parse", "HEAD"))


def test_a_scorecard_of_ones_own_is_the_commits(tmp_path: Path) -> None:
    tree = with_preset(tmp_path / "local", "[stages.token_f1]\npass_at = 0.4\n")
    (tmp_path / "local/evals/card.toml").write_text("[stages.token_f1]\npass_at = 0.0\n")

    config = policy_files(tree, ConfigLocation(""), tmp_path / "base")

    assert config is not None
    assert config.policy.scorecard is not None
    assert config.policy.scorecard.stages[0].pass_at == 0.4


def test_a_scorecard_that_the_commit_does_not_hold_is_an_error(tmp_path: Path) -> None:
    tree = with_preset(tmp_path / "local", None)

    with pytest.raises(ConfigError, match=r"evals/card\.toml"):
        policy_files(tree, ConfigLocation(""), tmp_path / "base")
