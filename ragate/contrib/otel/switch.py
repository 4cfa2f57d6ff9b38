"""Whether telemetry is on; nothing of OpenTelemetry is imported where it is not."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path

from ragate.contrib.otel.delivery import GRPC, HTTP, PROTOCOL, SIGNALS, protocol_of
from ragate.errors import ConfigError, UsageError
from ragate.files.foreign_files import read_bytes
from ragate.installed import install_line

SWITCH = "RAGATE_TELEMETRY"
TEXTS = "RAGATE_TELEMETRY_TEXTS"
# Commands that give or hold a verdict. `collect` runs code that nobody has looked at.
COMMANDS = frozenset({"check", "decide", "baseline"})
TRUSTED = frozenset({"decide"})  # runs no code of a pull request
_MOST_OF_EVENT = 32 * 1024 * 1024
_WORDS = {"": False, "0": False, "false": False, "off": False, "1": True, "true": True, "on": True}


def is_wanted(environment: Mapping[str, str]) -> bool:
    """Return whether the environment asks for telemetry.

    Raises:
        ConfigError: a variable holds neither yes nor no, or asks for what cannot be done.
    """
    if (
        not _is_on(environment, SWITCH)
        or environment.get("OTEL_SDK_DISABLED", "").lower() == "true"
    ):
        return False
    for signal in SIGNALS:
        protocol_of(environment, signal)
    return True


def around(
    command: str, environment: Mapping[str, str], say: Callable[[str], None]
) -> AbstractContextManager[None]:
    """Return what sends what a command does: none that strangers' code takes part in.

    The action looks for that itself.
    """
    if command == "action" or command in TRUSTED:
        return telemetry(environment, say=say)
    if command not in COMMANDS or is_of_a_fork(environment):
        return nullcontext()
    return telemetry(environment, say=say)


@contextmanager
def telemetry(environment: Mapping[str, str], *, say: Callable[[str], None]) -> Iterator[None]:
    """Send what runs inside, where the environment asks for it.

    Args:
        say: Prints a line where something could not be sent; the verdict stands.

    Raises:
        ConfigError: as `is_wanted`, or of the variable for texts. UsageError: the extra is not
            installed.
    """
    if not is_wanted(environment):
        yield
        return
    texts = _is_on(environment, TEXTS)
    try:
        from ragate.contrib.otel.exporting import exporting
    except ModuleNotFoundError as error:
        if not (error.name or "").startswith("opentelemetry"):
            raise
        raise UsageError(
            f"{SWITCH} is set, and OpenTelemetry is not installed",
            remedy=f"{install_line('otel')}, or leave the variable out",
        ) from error
    if GRPC in (protocol_of(environment, each) for each in SIGNALS):
        _require_grpc()
    with exporting(environment, texts=texts, say=say):
        yield


def _require_grpc() -> None:
    try:
        import ragate.contrib.otel.by_grpc  # noqa: F401
    except ModuleNotFoundError as error:
        raise UsageError(
            f"{PROTOCOL} = {GRPC}, and OpenTelemetry's exporter for it is not installed "
            f"({error.name})",
            remedy=f"{install_line('otel,otel-grpc')}, or set it to {HTTP} and name the "
            "collector's port for that, 4318, in OTEL_EXPORTER_OTLP_ENDPOINT",
        ) from error


def is_of_a_fork(environment: Mapping[str, str]) -> bool:
    """Return whether a fork's pull request set the job off, or may have: strangers' code runs."""
    if not environment.get("GITHUB_EVENT_NAME", "").startswith("pull_request"):
        return False
    try:
        path = Path(environment["GITHUB_EVENT_PATH"])
        content = read_bytes(path, error=ConfigError, max_bytes=_MOST_OF_EVENT)
        pull = json.loads(content)["pull_request"]
        return bool(pull["head"]["repo"]["id"] != pull["base"]["repo"]["id"])
    except (ConfigError, LookupError, TypeError, ValueError):
        return True


def _is_on(environment: Mapping[str, str], name: str) -> bool:
    value = environment.get(name, "").strip().lower()
    if value not in _WORDS:
        raise ConfigError(
            f"{name} = {value!r}: must be 1 or 0", remedy="set it so, or leave it out"
        )
    return _WORDS[value]
