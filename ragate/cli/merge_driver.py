"""Letting git call the merge driver: its configuration in this clone, and ``.gitattributes``."""

import shlex
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

from ragate.baseline.requests import baseline_paths
from ragate.config import find_config
from ragate.errors import ConfigError, UsageError
from ragate.support import git
from ragate.support.atomic_files import write_atomic
from ragate.support.foreign_files import inside, read_text

DRIVER = "ragate-baseline"
ATTRIBUTES = ".gitattributes"
_PLAIN = frozenset("/._-+@=,~")


def install_driver(start: Path, *, named: Path | None) -> Iterator[str]:
    """Yield what was done; a second time changes nothing.

    Of ``ragate.toml`` the path of the baseline is read, and no plugin is loaded.

    Raises:
        UsageError: there is no repository, or git does not take the configuration.
        ConfigError: there is no ``ragate.toml``, or it names no baseline.
    """
    config = find_config(start, named=named).resolve()
    top = git.repository(config.parent)
    if top is None:
        raise UsageError(f"{config.parent} is in no git repository", remedy="`git init` makes one")
    baseline = _baseline(config)
    if not baseline.is_relative_to(top):
        raise ConfigError(f"{baseline} is outside of the repository {top}")
    # -P: the folder that a merge runs in may hold a ragate/ of somebody else.
    command = f"{shlex.quote(sys.executable)} -P -m ragate baseline merge %O %A %B %P"
    for key, value in (("name", "baselines of ragate, sample by sample"), ("driver", command)):
        if not git.configure(top, f"merge.{DRIVER}.{key}", value):
            raise UsageError(f"git does not take merge.{DRIVER}.{key}", remedy="see `git config`")
    yield f"git calls ragate for baselines in this clone (merge.{DRIVER}.driver)"
    lines = [
        f"{_pattern(path.relative_to(top))} merge={DRIVER}" for path in baseline_paths(baseline)
    ]
    yield _attribute(top / ATTRIBUTES, lines, top)
    yield "every clone has to be told: each runs `ragate baseline merge --install` once"


def _baseline(config: Path) -> Path:
    text = read_text(config, error=ConfigError)
    try:
        policy = tomllib.loads(text).get("policy", {})
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{config}: {error}") from error
    value = policy.get("baseline") if isinstance(policy, dict) else None
    if not isinstance(value, str):
        raise ConfigError(
            f"{config}: [policy] baseline names no file", remedy='baseline = "baselines/main.json"'
        )
    return inside(config.parent, value, where=f"{config}: [policy] baseline", error=ConfigError)


def _pattern(path: Path) -> str:
    """Return a path as a pattern of ``.gitattributes`` that fits it alone."""
    text = "".join(
        f"\\{letter}" if letter in "*?[]\\" else letter for letter in f"/{path.as_posix()}"
    )
    if all(letter.isalnum() or letter in _PLAIN for letter in text):
        return text
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _attribute(path: Path, lines: list[str], top: Path) -> str:
    """Add the lines that are not there, after all others."""
    inside(top, path.name, where=str(path), error=UsageError)
    old = read_text(path, error=UsageError) if path.exists() else ""
    missing = [line for line in lines if line not in old.splitlines()]
    if not missing:
        return f"{path.name}: has the baseline already"
    joint = "" if not old or old.endswith("\n") else "\n"
    added = "\n".join(missing)
    write_atomic(path, f"{old}{joint}{added}\n".encode())
    return f"{path.name}: the baseline is added; commit it"
