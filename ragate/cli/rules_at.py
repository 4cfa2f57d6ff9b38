"""Whose rules decide on a checkout: its own, or those of a commit, as for a pull request."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from ragate.errors import UsageError
from ragate.repository import git

if TYPE_CHECKING:
    from ragate.config import Config


@contextmanager
def rules_at(config: Config, revision: str) -> Iterator[tuple[Config, tuple[str, ...]]]:
    """Yield what decides on what is checked out, and what its own rules have otherwise.

    Args:
        revision: The commit, branch or tag of the local repository whose policy, baseline and
            golden set decide; "" for what is checked out.

    Raises:
        UsageError: there is no such commit, or no ragate.toml in it.
        ConfigError: that ragate.toml is wrong.
    """
    if not revision:
        yield config, ()
        return
    from ragate.github.commits.commit_tree import ConfigLocation, GitTree, policy_files
    from ragate.github.gate.base_rules import gate_of_change

    top = git.repository(config.root)
    commit = git.commit_of(top, revision) if top is not None else ""
    if top is None or not commit:
        raise UsageError(
            f"--base {revision}: git knows no such commit here",
            remedy="name a branch, a tag or a commit of this repository; `git fetch` brings others",
        )
    below = config.root.relative_to(top).as_posix()
    location = ConfigLocation("" if below == "." else below, config.path.name)
    with TemporaryDirectory(prefix="ragate-base-") as folder:
        policy = policy_files(GitTree(top, commit), location, Path(folder).resolve())
        if policy is None:
            raise UsageError(
                f"--base {revision}: {location.path} is not in that commit",
                remedy="leave --base out: a first gate is judged by its own rules",
            )
        gate = gate_of_change(policy, config)
        yield gate.config, gate.differs
