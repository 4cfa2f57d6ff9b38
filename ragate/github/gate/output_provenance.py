"""Where outputs come from: a change may improve its system, not answer from somewhere else."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ragate.config import Config, SystemConfig
from ragate.errors import ConfigError
from ragate.systems.http.address import place_of
from ragate.systems.http.policy import check_request
from ragate.systems.replay import is_allowed

OTHER = (
    "the baseline was recorded from another system: a maintainer accepts that, or merges past "
    "this check, and the main branch records the new baseline"
)

_POLICY_KEY = re.compile(r"\[policy\] (http_(?:hosts|methods|paths)) =")


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
        return _replay(base, head)
    if use == "http":
        return _http(base, head.system, environment)
    return Provenance()


def _refused(reason: str, remedy: str) -> Provenance:
    later = f"{remedy} of [policy] in a pull request of its own, and merge that first"
    return Provenance(refused=(reason,), remedies=(later,))


def _another(reason: str) -> Provenance:
    return Provenance(other_system=(reason,), remedies=(OTHER,))


def _replay(base: Config, head: Config) -> Provenance:
    patterns = base.policy.replay_paths
    names = _texts(head.system.settings.get("paths"))
    outside = [
        name
        for name in names
        for file in _files(head.root, name)
        if not is_allowed(file, root=head.root, allowed=patterns)
    ]
    if outside:
        return _refused(
            f"the recordings {outside[0]!r} are not in the base's replay_paths = {list(patterns)}",
            f"add {outside[0]!r} to replay_paths",
        )
    theirs = _texts(base.system.settings.get("paths"))
    if names != theirs:
        return _another(f"the recordings are {list(names)}, the base's are {list(theirs)}")
    return Provenance()


def _files(root: Path, pattern: str) -> list[Path]:
    try:
        return [] if Path(pattern).is_absolute() else sorted(root.glob(pattern))
    except (ValueError, OSError):
        return []  # the system itself says what is wrong with it


def _http(base: Config, system: SystemConfig, environment: Mapping[str, str]) -> Provenance:
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
    return Provenance()


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
