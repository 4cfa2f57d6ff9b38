"""The table [system]: which kind of system it names, and whether the policy allows it."""

from collections.abc import Mapping
from typing import Any

from ragate import plugins
from ragate.config.model import SystemConfig
from ragate.errors import ConfigError, PluginError

# What people write for a system that has another name here.
_KNOWN_AS = {
    **dict.fromkeys(("fastapi", "flask", "starlette", "django", "service", "api", "rest"), "http"),
    **dict.fromkeys(("langchain", "haystack", "function", "callable"), "python"),
    **dict.fromkeys(("jsonl", "outputs", "recordings", "file"), "replay"),
    **dict.fromkeys(("subprocess", "shell", "cli", "node"), "command"),
}


def _refuse_unknown_system(use: str) -> None:
    try:
        plugins.locate("systems", use)
    except PluginError as error:
        name = _KNOWN_AS.get(use.lower())
        if name is None:
            raise
        remedy = (
            f'write use = "{name}": docs/{"replay" if name == "replay" else f"system-{name}"}.md'
        )
        raise ConfigError(f"[system] use: {error.message}", remedy=remedy) from error


def read_system(table: Mapping[str, Any], allowed: tuple[str, ...]) -> SystemConfig:
    """Return the system that the table names.

    Raises:
        ConfigError: it names none, or one that the policy does not allow.
        PluginError: there is no such system, or none of a name in `allowed`.
    """
    for name in allowed:
        plugins.locate("systems", name)
    use = table.get("use")
    if not isinstance(use, str):
        raise ConfigError("[system]: 'use' must name a system", remedy=f"one of {list(allowed)}")
    _refuse_unknown_system(use)
    if use not in allowed:
        raise ConfigError(
            f"[system] use = {use!r} is not in [policy] systems = {list(allowed)}",
            remedy="the policy lists the kinds of system that a change may use; a kind is added to"
            " it in a pull request of its own",
        )
    settings = {key: value for key, value in table.items() if key != "use"}
    return SystemConfig(use=use, settings=settings)
