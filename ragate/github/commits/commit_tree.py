"""The files of a commit: in the local repository, or by GitHub's API; the policy's among them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Protocol, TypeVar

from ragate.baseline.requests import baseline_paths
from ragate.config import CONFIG_NAME, Config, parse_config, preset_file
from ragate.config.read import MAX_BYTES as CONFIG_BYTES
from ragate.config.upgrade import upgraded
from ragate.errors import ConfigError, RagateError
from ragate.files.foreign_files import decode, inside
from ragate.github.commits import git_objects
from ragate.github.commits.git_objects import TreeEntry
from ragate.github.rest.repository import Repository

_KEYS = ("mode", "type", "sha", "path")
MAX_BYTES = 256 * 1024 * 1024
T = TypeVar("T")
Read = Callable[[str], bytes | None]


class BaseUnreadableError(RagateError):
    """The base commit's files cannot be read: no decision."""


class Tree(Protocol):
    """The files of one commit; every call may raise a `RagateError`."""

    @property
    def sha(self) -> str: ...

    def read(self, path: str) -> bytes | None:
        """Return a file's content; None where the path is proven to be absent."""

    def list(self, folder: str) -> list[str]:
        """Return the names of the regular files in a folder; [] where it is absent."""


def text_of(read: Read, path: str) -> str:
    """Return a file's text; "" where it is absent or cannot be read."""
    try:
        content = read(path)
    except RagateError:
        return ""
    return (content or b"").decode("utf-8-sig", "replace")


@dataclass(frozen=True)
class GitTree:
    """A commit of the local repository at `root`."""

    root: Path
    sha: str

    def read(self, path: str) -> bytes | None:
        entry = git_objects.entry(self.root, self.sha, path)
        if entry is None:
            return None
        if not entry.regular:
            raise _not_regular(path, self.sha)
        return git_objects.blob(self.root, entry.sha)

    def list(self, folder: str) -> list[str]:
        entry = git_objects.entry(self.root, self.sha, folder)
        if entry is None or entry.kind != "tree":
            return []
        files = git_objects.listing(self.root, self.sha, folder)
        return sorted(PurePosixPath(file.path).name for file in files.values() if file.regular)


@dataclass(frozen=True)
class ApiTree:
    """A commit of GitHub's repository.

    Absence is read off the tree's listings: a 404 alone may also mean a missing permission.
    """

    repository: Repository
    sha: str
    _listed: dict[str, dict[str, TreeEntry]] = field(default_factory=dict, repr=False)

    def read(self, path: str) -> bytes | None:
        entry = self._entry(path)
        if entry is None:
            return None
        if not entry.regular:
            raise _not_regular(path, self.sha)
        content = self.repository.contents(path, self.sha)
        if content is None:
            raise BaseUnreadableError(f"{path} at {self.sha[:7]}: listed, and cannot be read")
        return content

    def list(self, folder: str) -> list[str]:
        entry = self._entry(folder)
        if entry is None or entry.kind != "tree":
            return []
        return sorted(name for name, file in self._names(folder, entry.sha).items() if file.regular)

    def _entry(self, path: str) -> TreeEntry | None:
        *folders, file = PurePosixPath(path).parts or ("",)
        names, folder = self._names("", self.sha), ""
        for name in folders:
            folder = f"{folder}/{name}".lstrip("/")
            entry = names.get(name)
            if entry is None:
                return None
            if entry.kind != "tree":
                raise _not_regular(folder, self.sha)
            names = self._names(folder, entry.sha)
        return names.get(file)

    def _names(self, folder: str, sha: str) -> dict[str, TreeEntry]:
        if folder not in self._listed:
            rows = self.repository.tree(sha, recursive=False)
            self._listed[folder] = {
                str(row["path"]): TreeEntry(*(str(row[key]) for key in _KEYS)) for row in rows
            }
        return self._listed[folder]


def _not_regular(path: str, sha: str) -> BaseUnreadableError:
    return BaseUnreadableError(
        f"{path} at {sha[:7]} is no regular file",
        remedy="the gate's own files must not be links, nor lie behind one",
    )


def tree_of(sha: str, root: Path | None, repository: Repository | None) -> Tree:
    """Return the files of a commit: from the local repository, else from the API.

    Raises:
        BaseUnreadableError: neither has them.
    """
    if root is not None and git_objects.has_tree(root, sha):
        return GitTree(root, sha)
    if repository is not None:
        return ApiTree(repository, sha)
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
    dataset = below(config.dataset)
    listed = tree.list(location.at(dataset))
    if listed or dataset.endswith(".tsv"):  # a folder as BEIR lays it out, or a file of one
        top = PurePosixPath(dataset) if listed else PurePosixPath(dataset).parent.parent
        names += [str(top / "queries.jsonl")]
        names += [str(top / "qrels" / name) for name in tree.list(location.at(str(top / "qrels")))]
    else:
        names += [dataset]
    judge = config.policy.judge
    for prompt in judge.prompt_files if judge is not None else ():
        names += [below(inside(config.root, prompt, where="prompt", error=ConfigError))]
    return names


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
