"""Where outputs come from: a change may improve its system, not answer from somewhere else."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ragate.config import Config, SystemConfig
from ragate.errors import ConfigError
from ragate.files.find_files import is_allowed
from ragate.repository import git
from ragate.systems.http.address import place_of
from ragate.systems.http.policy import check_request

OTHER = (
    "the baseline was recorded from another system: a maintainer accepts that, or merges past "
    "this check, and the main branch records the new baseline"
)

# Keys that name the address from which answers come.
_ADDRESSES = {"url", "url_env"}
# Keys by which a service has to name the commit of its build.
_BUILD = ("version_header", "version_pointer", "version_url")
_POLICY_KEY = re.compile(r"\[policy\] (http_(?:hosts|methods|paths)) =")


MEASURED = (
    "a maintainer who has read the edit accepts it, or merges past this check, and the main branch "
    "records the new baseline"
)


@dataclass(frozen=True)
class Provenance:
    """What speaks against comparing the change's system with the base's.

    Attributes:
        refused: The base's policy does not allow it: it is not run.
        other_system: It is allowed, and is not what the baseline was recorded from.
        remedies: What to do, one sentence each.
    """

    refused: tuple[str, ...] = ()
    other_system: tuple[str, ...] = ()
    remedies: tuple[str, ...] = ()


def edited_measure(name: str) -> Provenance:
    """Return what speaks against scores whose evaluator the change edited."""
    reason = f"the change edits what measures it, by the base's scores_measured_by: {name}"
    return Provenance(other_system=(reason,), remedies=(MEASURED,))


def provenance_of(base: Config, head: Config, environment: Mapping[str, str]) -> Provenance:
    """Compare the change's ``[system]`` with the base's policy and the base's ``[system]``."""
    allowed, use = base.policy.systems, head.system.use
    if use not in allowed:
        return _refused(
            f"the system {use!r} is not in the base's systems = {list(allowed)}",
            f"add {use!r} to systems",
        )
    if use != base.system.use:
        return _another(
            f"the change is tested on the system {use!r}, the base on {base.system.use!r}"
        )
    if use == "replay":
        return _recorded(base, head, "replay_paths", base.policy.replay_paths)
    if use == "scores":
        return _scores(base, head)
    starts = [bool(system.settings.get("command")) for system in (head.system, base.system)]
    if any(starts):
        # Which program is the change's own code; that there is one in place of a service is not.
        return Provenance() if all(starts) else _program_or_service(*starts)
    if _ADDRESSES & {*head.system.settings, *base.system.settings}:
        return _service(base, head.system, environment)
    return Provenance()


def _program_or_service(*starts: bool) -> Provenance:
    mine, theirs = ("a program" if one else "a service" for one in starts)
    return _another(f"the change is tested on {mine} that it names, the base on {theirs}")


def _refused(reason: str, remedy: str) -> Provenance:
    later = f"{remedy} of [policy] in a pull request of its own, and merge that first"
    return Provenance(refused=(reason,), remedies=(later,))


def _another(reason: str) -> Provenance:
    return Provenance(other_system=(reason,), remedies=(OTHER,))


def _recorded(base: Config, head: Config, key: str, patterns: Sequence[str]) -> Provenance:
    """Compare the files that both name.

    Args:
        key: The policy's key for where they may be; patterns: its value.
    """
    names = _texts(head.system.settings.get("paths"))
    outside = [
        name
        for name in names
        for file in _files(head.root, name)
        if not is_allowed(file, root=head.root, allowed=patterns)
    ]
    if outside:
        return _refused(
            f"the recordings {outside[0]!r} are not in the base's {key} = {list(patterns)}",
            f"add {outside[0]!r} to {key}",
        )
    theirs = _texts(base.system.settings.get("paths"))
    if names != theirs:
        return _another(f"the recordings are {list(names)}, the base's are {list(theirs)}")
    return Provenance()


def _scores(base: Config, head: Config) -> Provenance:
    """Compare the files of scores, and refuse those that no step of this job can have written."""
    provenance = _recorded(base, head, "scores_paths", base.policy.scores_paths)
    if provenance.refused or base.policy.scores_tracked:
        return provenance
    names = _texts(head.system.settings.get("paths"))
    paths = [path for name in names for path in _files(head.root, name)]
    why = next(filter(None, (not_measured_here(path, head.root) for path in paths)), "")
    if not why:
        return provenance
    remedy = (
        "let the evaluator run in this job, after the checkout, and write there; scores_tracked = "
        "true in the base's [policy] takes files that were there before"
    )
    return Provenance(refused=(why,), remedies=(remedy,))


def not_measured_here(path: Path, root: Path) -> str:
    """Return why a file of scores cannot be this job's, "" where it may be."""
    top = git.repository(root)
    if top is None or not path.is_file():
        return ""
    if git.is_tracked(top, path):
        return f"the scores {path.name!r} are a file of the commit: nothing measured it here"
    head = top / ".git/HEAD"  # a checkout writes it, and nothing else of a job does
    if head.is_file() and path.stat().st_mtime < head.stat().st_mtime - 1:
        return f"the scores {path.name!r} are older than the checkout: nothing measured it here"
    return ""


def _files(root: Path, pattern: str) -> list[Path]:
    try:
        return [] if Path(pattern).is_absolute() else sorted(root.glob(pattern))
    except (ValueError, OSError):
        return []  # the system itself says what is wrong with it


def _service(base: Config, system: SystemConfig, environment: Mapping[str, str]) -> Provenance:
    policy = base.policy
    url, key = _address(system, environment)
    # An address that is not set here has a method all the same.
    rules = policy if url else policy.amended(http_paths=("/**",))
    try:
        mine = _rule(system, policy.http_hosts, environment)
        method = str(system.settings.get("method", "POST"))
        check_request(method, url, key=key, rules=rules)
    except ConfigError as error:
        setting = _POLICY_KEY.search(error.message)
        if setting is None:
            raise
        return _refused(error.message, f"add it to {setting[1]}")
    try:
        theirs = _rule(base.system, policy.http_hosts, environment)
    except ConfigError:
        theirs = ""
    if mine != theirs:
        return _another(
            f"the service is at {mine or 'an address of the environment'}, the base's at "
            f"{theirs or 'another address'}"
        )
    demanded, told = _demands(base.system), _demands(system)
    changed = next((key for key in _BUILD if demanded[key] != told[key]), "")
    if changed and any(demanded.values()):
        return _another(
            f"which build answers is told by {changed} = {told[changed]!r}, the base's is "
            f"{demanded[changed]!r}"
        )
    return Provenance()


def _demands(system: SystemConfig) -> dict[str, str]:
    return {key: str(system.settings.get(key, "")) for key in _BUILD}


def _rule(system: SystemConfig, hosts: tuple[str, ...], environment: Mapping[str, str]) -> str:
    """Return the entry of ``http_hosts`` that allows the service; "" where no address is set."""
    url, key = _address(system, environment)
    return place_of(url, key=key, hosts=hosts).rule if url else ""


def _address(system: SystemConfig, environment: Mapping[str, str]) -> tuple[str, str]:
    """Return where the service is, "" where no address is set, and the key that says so."""
    if url := system.settings.get("url"):
        return str(url), "url"
    return environment.get(str(system.settings.get("url_env", "")), ""), "url_env"


def _texts(value: object) -> tuple[str, ...]:
    items = value if isinstance(value, list | tuple) else ()
    return tuple(str(item) for item in items)
