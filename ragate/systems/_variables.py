"""Which variables a process of the project gets; docs/decisions/0198 says why."""

import os
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase

from ragate.database.connecting import PASSWORD, takes_password_from
from ragate.errors import ConfigError
from ragate.protocols import Resources

# Without these hardly a program runs; nothing of them is anybody's secret.
ORDINARY = (
    *("PATH", "HOME", "USER", "LOGNAME", "TMPDIR", "TMP", "TEMP", "TZ", "SYSTEMROOT"),
    *("LANG", "LANGUAGE", "LC_*", "LD_LIBRARY_PATH", "SSL_CERT_FILE", "SSL_CERT_DIR"),
)
# Whoever has these speaks for the step: its outputs, later steps' variables, the runner's services.
_RUNNERS = (
    *("GITHUB_OUTPUT", "GITHUB_ENV", "GITHUB_PATH", "GITHUB_STATE", "GITHUB_STEP_SUMMARY"),
    *("ACTIONS_*", "INPUT_*"),
)
# What client libraries read by themselves: the judge's key here is most often the RAG's as well.
_LIBRARIES = frozenset({"OPENAI_API_KEY", "AZURE_OPENAI_API_KEY"})
_SHORTEST = 8  # characters of a secret that is known by its value
_OUR_SERVERS = ("RAGATE_QUEUE_URL", "RAGATE_RUNS_URL")
# No key of the policy, and a secret all the same.
_SECRET = frozenset(
    {
        *("GITHUB_TOKEN", "RAGATE_DATABASE_URL", *_OUR_SERVERS),
        *(f"OTEL_EXPORTER_OTLP_{signal}HEADERS" for signal in ("", "TRACES_", "METRICS_", "LOGS_")),
    }
)


def program_environment(resources: Resources, passed: Sequence[str]) -> dict[str, str]:
    """Return the variables of a program that is started as from a shell: all but secrets.

    Args:
        passed: ``pass_env``: secrets that it gets all the same.

    Raises:
        ConfigError: `passed` names the judge's key.
    """
    refuse_judges_key(passed, resources.judge_keys)
    keys = resources.key_names | _SECRET
    allowed = allowed_environment(resources.environment, keys, passed)
    if PASSWORD not in passed:
        _withhold_password(allowed, resources)
    return {name: value for name, value in allowed.items() if not _is_runners(name)}


def inherited_environment(resources: Resources) -> dict[str, str]:
    """Return this process's variables but for ragate's own, the runner's and the judge's key."""
    own = _SECRET | resources.judge_keys - _LIBRARIES
    kept = {
        name: value
        for name, value in os.environ.items()
        if not (name in own or name.startswith("RAGATE_") or _is_runners(name))
    }
    _withhold_password(kept, resources)
    return kept


def _withhold_password(allowed: dict[str, str], resources: Resources) -> None:
    """Remove libpq's password where a server of ours is reached with it; say so."""
    for name in _OUR_SERVERS:
        if takes_password_from(resources.environment, name):
            allowed.pop(PASSWORD, None)
            resources.say(
                f"{PASSWORD} is the password of {name}: the code under test does not get it; if "
                f"it needs one, write ours into {name}"
            )
            return


def passed_secrets(resources: Resources, passed: Sequence[str]) -> list[str]:
    """Return the values of the secrets that ``pass_env`` gives away: no output shows them."""
    names, environment = resources.key_names | _SECRET, resources.environment
    values = _values(environment, names)
    return [
        value
        for name in sorted({*passed})
        if (value := environment.get(name)) and (name in names or value in values)
    ]


def allowed_environment(
    environment: Mapping[str, str], keys: frozenset[str], passed: Sequence[str]
) -> dict[str, str]:
    """Return the variables for a process: all but keys that are not `passed`, whatever their name.

    The same key may stand in a second variable, which no policy names.
    """
    values = _values(environment, keys)
    return {
        name: value
        for name, value in environment.items()
        if name in passed or (name not in keys and value not in values)
    }


def _values(environment: Mapping[str, str], names: Iterable[str]) -> frozenset[str]:
    """Return the secrets themselves; what is shorter guards nothing, and may stand anywhere."""
    found = (environment.get(name, "") for name in names)
    return frozenset(value for value in found if len(value) >= _SHORTEST)


def named_environment(
    environment: Mapping[str, str], passed: Sequence[str], keys: frozenset[str]
) -> dict[str, str]:
    """Return what any program needs to run, and the variables that `passed` names.

    Args:
        passed: Names; with a ``*`` a pattern, which no key and no other secret fits.
    """
    patterns = [name for name in passed if "*" in name]
    hidden = keys | _SECRET
    values = _values(environment, hidden)
    return {
        name: value
        for name, value in environment.items()
        if not _is_runners(name)
        and (
            name in passed
            or _fits(name, ORDINARY)
            or (name not in hidden and value not in values and _fits(name, patterns))
        )
    }


def refuse_judges_key(passed: Iterable[str], judge_keys: frozenset[str]) -> None:
    """Check ``pass_env``.

    Raises:
        ConfigError: it names a variable that holds the judge's key.
    """
    for name in passed:
        if name in judge_keys:
            raise ConfigError(
                f"[system] pass_env = {name!r}: the judge's key is not given to the code under "
                "test",
                remedy='give the judge a variable of its own, such as key_env = "JUDGE_API_KEY" '
                "in its table of [policy.providers], even if the key is the same; with "
                "record = true the code needs none",
            )


def _is_runners(name: str) -> bool:
    return _fits(name, _RUNNERS)


def _fits(name: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(name, pattern) for pattern in patterns)
