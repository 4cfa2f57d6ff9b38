"""The files of a commit: in the local repository, or by GitHub's API; the policy's among them."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TypeVar

from ragate.baseline.schema import baseline_paths
from ragate.config import CONFIG_NAME, Config, parse_config, preset_file
from ragate.config.read import MAX_BYTES as CONFIG_BYTES
from ragate.config.upgrade import upgraded
from ragate.errors import ConfigError, RagateError
from ragate.files.foreign_files import decode, inside
from ragate.github.commits import git_objects
from ragate.github.commits.git_objects import TreeEntry
from ragate.github.rest.repository import Repository

MAX_BYTES = 256 * 1024 * 1024
T = TypeVar("T")
Read = Callable[[str], bytes | None]
Entries = Mapping[str, TreeEntry]


class BaseUnreadableError(RagateError):
    """The base commit's files cannot be read: no decision."""


class Tree(ABC):
    """The files of one commit; every call may raise a `RagateError`.

    That a path is absent is read off the folders' listings: a 404 alone may also mean a missing
    permission, and a link on the way leads elsewhere.
    """

    sha: str

    @abstractmethod
    def folder(self, sha: str) -> Entries:
        """Return what a folder holds, by name; of a commit, its top."""

    @abstractmethod
    def content(self, path: str, entry: TreeEntry) -> bytes:
        """Return the content of a regular file."""

    def read(self, path: str) -> bytes | None:
        """Return a file's content; None where the path is proven to be absent."""
        entry = self._entry(path)
        if entry is None:
            return None
        if not entry.is_regular:
            raise _not_regular(path, self.sha)
        return self.content(path, entry)

    def list(self, folder: str) -> list[str]:
        """Return the names of the regular files in a folder; [] where it is absent."""
        entry = self._entry(folder)
        if entry is None or not entry.is_folder:
            return []
        return sorted(name for name, each in self.folder(entry.sha).items() if each.is_regular)

    def _entry(self, path: str) -> TreeEntry | None:
        names = PurePosixPath(path).parts
        if ".." in names:
            raise BaseUnreadableError(
                f"{path} at {self.sha[:7]} goes up", remedy="write the path without .."
            )
        entry = TreeEntry(git_objects.FOLDER, self.sha)
        for name in names:
            if not entry.is_folder:
                raise _not_regular(path, self.sha)
            found = self.folder(entry.sha).get(name)
            if found is None:
                return None
            entry = found
        return entry


@dataclass(frozen=True)
class GitTree(Tree):
    """A commit of the local repository at `root`."""

    root: Path
    sha: str

    def folder(self, sha: str) -> Entries:
        return git_objects.folder(self.root, sha)

    def content(self, path: str, entry: TreeEntry) -> bytes:  # noqa: ARG002
        return git_objects.file(self.root, entry.sha)


@dataclass(frozen=True)
class ApiTree(Tree):
    """A commit of GitHub's repository."""

    repository: Repository
    sha: str
    _listed: dict[str, Entries] = field(default_factory=dict, repr=False)

    def folder(self, sha: str) -> Entries:
        if sha not in self._listed:
            self._listed[sha] = {
                str(row["path"]): TreeEntry(str(row["mode"]), str(row["sha"]))
                for row in self.repository.tree(sha, recursive=False)
            }
        return self._listed[sha]

    def content(self, path: str, entry: TreeEntry) -> bytes:  # noqa: ARG002
        content = self.repository.contents(path, self.sha)
        if content is None:
            raise BaseUnreadableError(f"{path} at {self.sha[:7]}: listed, and cannot be read")
        return content


def text_of(read: Read, path: str) -> str:
    """Return a file's text; "" where it is absent or cannot be read."""
    try:
        content = read(path)
    except RagateError:
        return ""
    return (content or b"").decode("utf-8-sig", "replace")


def _not_regular(path: str, sha: str) -> BaseUnreadableError:
    return BaseUnreadableError(
        f"{path} at {sha[:7]} is no regular file",
        remedy="the gate's own files must not be links, nor lie behind one",
    )


@dataclass(frozen=True)
class Commits:
    """Where commits are read: the local repository where it holds them, else GitHub's API.

    Attributes:
        root: The top of what is checked out, None where nothing is.
        repository: None without a token.
    """

    root: Path | None
    repository: Repository | None

    def holding(self, sha: str) -> Path | None:
        """Return the local repository where it holds the files of a commit, else None."""
        is_here = self.root is not None and git_objects.has_tree(self.root, sha)
        return self.root if is_here else None

    def tree(self, sha: str) -> Tree:
        """Return the files of a commit.

        Raises:
            BaseUnreadableError: it is not here, and there is no token.
        """
        if (root := self.holding(sha)) is not None:
            return GitTree(root, sha)
        if self.repository is not None:
            return ApiTree(self.repository, sha)
        raise BaseUnreadableError(
            f"the files of the base commit {sha[:7]} are not here",
            remedy="give the step a github-token, or check out with `fetch-depth: 2`",
        )


@dataclass(frozen=True)
class ConfigLocation:
    """Where the project is in its repository.

    Attributes:
        folder: The folder of the configuration, relative to the repository; "" for its top.
        name: The configuration's file name.
    """

    folder: str
    name: str = CONFIG_NAME

    @property
    def path(self) -> str:
        """Return the configuration as the repository knows it."""
        return self.at(self.name)

    def at(self, path: str) -> str:
        """Return a path of the project as the repository knows it."""
        return f"{self.folder}/{path}" if self.folder else path


def policy_files(tree: Tree, location: ConfigLocation, folder: Path) -> Config | None:
    """Return the policy at one commit, with every file that it names written below `folder`.

    What is gone since then is left out of it, as the upgrade would.

    None where the commit is proven to have no configuration.

    Raises:
        ConfigError: the configuration of that commit is wrong.
        BaseUnreadableError: something is there and cannot be read.
    """
    content = _read(tree, location.path)
    if content is None:
        return None
    if len(content) > CONFIG_BYTES:
        raise ConfigError(f"{location.path} at {tree.sha[:7]}: over {CONFIG_BYTES} bytes")
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / location.name
    where = f"{location.path} at the base {tree.sha[:7]}"
    # A change that brings the project to this version is judged before its base has what it takes.
    text = upgraded(decode(content, where=where, error=ConfigError)).text
    path.write_text(text, encoding="utf-8")
    if preset := preset_file(text):
        below = inside(folder.resolve(), preset, where="preset", error=ConfigError)
        _copy(tree, location, folder.resolve(), below.relative_to(folder.resolve()).as_posix())
    config = parse_config(text, where=where, root=folder, path=path)
    for name in _readable(tree, lambda: _named(tree, location, config)):
        _copy(tree, location, config.root, name)
    return config


def _copy(tree: Tree, location: ConfigLocation, root: Path, name: str) -> None:
    """Write one file of the commit below `root`; what is absent is told by whoever needs it."""
    content = _read(tree, location.at(name))
    if content is not None:
        target = root / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)


def _named(tree: Tree, location: ConfigLocation, config: Config) -> list[str]:
    """Return the files that the policy names, relative to the project."""

    def below(path: Path) -> str:
        return path.relative_to(config.root).as_posix()

    names = [below(path) for path in baseline_paths(config.baseline)]
    names += _golden_files(tree, location, PurePosixPath(below(config.dataset)))
    judge = config.policy.judge
    for prompt in judge.prompt_files if judge is not None else ():
        names += [below(inside(config.root, prompt, where="prompt", error=ConfigError))]
    return names


def _golden_files(tree: Tree, location: ConfigLocation, dataset: PurePosixPath) -> list[str]:
    """Return the files of a golden set: one, or those of a folder as BEIR or TREC lay it out."""
    from ragate.dataset.beir import ENDINGS, QUESTIONS

    def listed(folder: PurePosixPath) -> list[PurePosixPath]:
        return [folder / name for name in tree.list(location.at(str(folder)))]

    top, judgements = dataset, dataset / "qrels"
    is_folder = bool(listed(dataset))
    if not is_folder:
        top, judgements = dataset.parent.parent, dataset.parent
    questions = [path for path in listed(top) if path.name in QUESTIONS]
    is_judgements = bool(questions) and dataset.suffix in ENDINGS and top != judgements
    if not is_folder and not is_judgements:
        return [str(dataset)]
    judged = [path for path in listed(judgements) if path.suffix in ENDINGS]
    return [str(path) for path in (*questions, *judged)]


def _read(tree: Tree, path: str) -> bytes | None:
    content = _readable(tree, lambda: tree.read(path), path)
    if content is not None and len(content) > MAX_BYTES:
        raise BaseUnreadableError(f"{path} at the base {tree.sha[:7]}: over {MAX_BYTES} bytes")
    return content


def _readable(tree: Tree, call: Callable[[], T], path: str = "the policy") -> T:
    try:
        return call()
    except (BaseUnreadableError, ConfigError):
        raise
    except RagateError as error:
        raise BaseUnreadableError(
            f"{path} at the base {tree.sha[:7]} cannot be read: {error.message}",
            remedy=error.remedy
            or "run the job again; without the base's policy nothing is decided",
        ) from error
