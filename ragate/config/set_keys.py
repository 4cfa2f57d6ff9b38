"""``--set key=value``: keys of ragate.toml with another value, for one run on one's own machine.

A dotted path stands below ``[system]``; ``judge.model`` is the judge's. What is set is read as if
it stood in the file, so the policy's systems, hosts and providers hold for it as well. Addresses,
names of keys and rules cannot be set.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any

from ragate import plugins
from ragate.config.model import Config, SystemConfig
from ragate.core.plain_settings import is_open
from ragate.errors import UsageError
from ragate.guards.redact import MASK
from ragate.settings import read_settings

JUDGE_MODEL = "judge.model"
DATES = "temporal_mode"  # what ``--temporal-mode`` sets: `dates` of every metric that has the key
_PATH = re.compile(r"[A-Za-z_][\w-]*(\.[A-Za-z_][\w-]*)*", re.ASCII)
_NEVER = frozenset({"base_url", "key_env"})
_RULES = frozenset({"policy", "judge", "providers", "metrics", "scorecard"})
_SECRET = re.compile(
    r"://[^/\s]*@|\b(sk|pk|rk|ghp|gho|github_pat|xox[a-z]|AKIA|AIza|hf|Bearer)[-_ ]?[\w-]{8,}"
    r"|(?=\S*[0-9])(?=\S*[A-Za-z])[A-Za-z0-9+/=_]{32,}"
)


def with_keys(tables: Mapping[str, Any], given: Sequence[str]) -> dict[str, Any]:
    """Return the tables of a ragate.toml with what the command line sets.

    Args:
        given: Each as ``key=value``.

    Raises:
        UsageError: one is malformed, or may not be set.
    """
    changed = deepcopy(dict(tables))
    for text in given:
        path, value = _read(text)
        if path == JUDGE_MODEL:
            _judge_of(changed, text)["model"] = value
        elif path == DATES:
            continue
        else:
            _put(changed.get("system"), path.split("."), value, text)
    return changed


def told_keys(given: Iterable[str]) -> tuple[str, ...]:
    """Return what was set as a manifest may tell it: a value that looks secret is cut out."""
    parts = (text.partition("=") for text in given)
    return tuple(f"{key}={MASK if _is_secret(key, value) else value}" for key, _, value in parts)


def without_secrets(settings: Mapping[str, str], told: Iterable[str]) -> dict[str, str]:
    """Return a system's settings without the values that `told_keys` cut out.

    Args:
        settings: JSON by dotted key.
    """
    cut = {text.partition("=")[0] for text in told if text.endswith(f"={MASK}")}
    return {
        key: f'"{MASK}"' if any(f"{key}.".startswith(f"{each}.") for each in cut) else value
        for key, value in settings.items()
    }


def _read(text: str) -> tuple[str, Any]:
    path, equals, value = text.partition("=")
    if not equals or not _PATH.fullmatch(path):
        raise UsageError(
            f"--set {path!r}: it must be a key and a value", remedy="--set answer.model=NAME"
        )
    parts = path.split(".")
    read = _as_toml(value)
    if _NEVER & {*parts, *_keys_in(read)}:
        raise UsageError(
            f"--set {path}: an address or the name of a key is never set",
            remedy="write it into [policy.providers] of ragate.toml",
        )
    if parts[0] in _RULES and path != JUDGE_MODEL:
        raise UsageError(
            f"--set {path}: rules stand in ragate.toml alone",
            remedy=f"--set takes keys of [system], and {JUDGE_MODEL}",
        )
    return path, read


def _as_toml(text: str) -> Any:
    """Return a value as TOML has it; what is none is a text."""
    try:
        tables = tomllib.loads(f"value = {text}")
    except tomllib.TOMLDecodeError:
        return text
    return tables["value"] if len(tables) == 1 else text  # a line end, and another key below


def _keys_in(value: Any) -> Iterator[str]:
    """Yield the keys of tables in a value, at any depth."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield key
            yield from _keys_in(each)
    elif isinstance(value, list):
        for each in value:
            yield from _keys_in(each)


def _judge_of(tables: Mapping[str, Any], text: str) -> dict[str, Any]:
    judge: Any = tables.get("policy", {}).get("judge")
    if not isinstance(judge, dict):
        raise UsageError(f"--set {text}: there is no [policy.judge] whose model it could be")
    return judge


def _put(table: Any, parts: Sequence[str], value: Any, text: str) -> None:
    for part in parts[:-1]:
        if not isinstance(table, dict):
            break
        table = table.setdefault(part, {})
    if not isinstance(table, dict):
        raise UsageError(
            f"--set {text.partition('=')[0]}: what stands above it is no table of [system]"
        )
    table[parts[-1]] = value


def with_dates(config: Config, given: Sequence[str]) -> Config:
    """Return the configuration with what ``--temporal-mode`` says, where it was given.

    Raises:
        UsageError: no metric compares dates.
    """
    modes = [text.partition("=")[2] for text in given if text.startswith(f"{DATES}=")]
    if not modes:
        return config
    names = [rule.metric for rule in config.policy.metrics if _compares_dates(rule.metric)]
    if not names:
        raise UsageError(
            f"--temporal-mode {modes[-1]}: no metric of the policy compares dates",
            remedy="tool_logic, tool_f1, tool_order and tool_entities do",
        )
    settings = {
        name: {**config.metric_settings.get(name, {}), "dates": modes[-1]} for name in names
    }
    return config.amended(metric_settings={**config.metric_settings, **settings})


def _compares_dates(metric: str) -> bool:
    if not plugins.is_builtin("metrics", metric):
        return False
    model = plugins.settings_model("metrics", metric)
    return model is not None and "dates" in model.model_fields


def refuse_unknown(system: SystemConfig) -> None:
    """Refuse keys that a system of ragate's own has not; a plugin of others looks itself.

    Raises:
        ConfigError: names the nearest.
    """
    if plugins.is_builtin("systems", system.use):
        model = plugins.settings_model("systems", system.use)
        if model is not None:
            read_settings(model, system.settings, where="[system]", strict=True)


def _is_secret(key: str, value: str) -> bool:
    return not is_open(key) or bool(_SECRET.search(value))
