"""Which run sends: the workflow, the repository and the commit, from the runner's variables.

Metrics carry none of what is another one in each run, so that counts of many runs add up.
"""

import os
from collections.abc import Mapping
from urllib.parse import unquote, urlsplit

from ragate.telemetry.names import SERVICE
from ragate.version import __version__

# Attribute -> the runner's variable.
_RUNNER = {
    "cicd.pipeline.name": "GITHUB_WORKFLOW",
    "cicd.pipeline.run.id": "GITHUB_RUN_ID",
    "cicd.pipeline.task.name": "GITHUB_JOB",
    "vcs.ref.head.revision": "GITHUB_SHA",
    "vcs.ref.head.name": "GITHUB_HEAD_REF",
    "vcs.ref.base.name": "GITHUB_BASE_REF",
}
# What made the messages, as the conventions name it.
_SENDER = {
    "telemetry.sdk.language": "python",
    "telemetry.sdk.name": SERVICE,
    "telemetry.sdk.version": __version__,
}
_STAYS = {
    *("service.name", "cicd.pipeline.name", "cicd.pipeline.task.name"),
    *("vcs.repository.url.full", "vcs.repository.name", "vcs.owner.name", "vcs.provider.name"),
}


def resource_attributes(environment: Mapping[str, str]) -> dict[str, str]:
    """Return what every span and event of this run carries.

    The process's ``OTEL_RESOURCE_ATTRIBUTES`` and ``OTEL_SERVICE_NAME`` add to it and win.
    """
    return _SENDER | _of_run(environment) | _of_user()


def metrics_attributes(environment: Mapping[str, str]) -> dict[str, str]:
    """Return what every metric carries: what stays from run to run, and what the user adds."""
    found = _of_run(environment)
    return _SENDER | {name: value for name, value in found.items() if name in _STAYS} | _of_user()


def _of_run(environment: Mapping[str, str]) -> dict[str, str]:
    named = {name: environment.get(variable, "") for name, variable in _RUNNER.items()}
    named["vcs.ref.head.name"] = named["vcs.ref.head.name"] or environment.get(
        "GITHUB_REF_NAME", ""
    )
    server, repository = (
        environment.get(f"GITHUB_{name}", "") for name in ("SERVER_URL", "REPOSITORY")
    )
    if server and repository:
        named["vcs.repository.url.full"] = f"{server}/{repository}"
        named["vcs.repository.name"] = repository.rpartition("/")[2]
        named["vcs.owner.name"] = repository.partition("/")[0]
        if urlsplit(server).hostname == "github.com":
            named["vcs.provider.name"] = "github"
        if run := named["cicd.pipeline.run.id"]:
            named["cicd.pipeline.run.url.full"] = f"{server}/{repository}/actions/runs/{run}"
    if number := _pull(environment.get("GITHUB_REF", "")):
        named["vcs.change.id"] = number
    named |= {"service.name": SERVICE, "service.version": __version__}
    return {name: value for name, value in named.items() if value}


def _of_user() -> dict[str, str]:
    """Return what OpenTelemetry's variables add; an entry that is no pair is left out."""
    added = {}
    for entry in os.environ.get("OTEL_RESOURCE_ATTRIBUTES", "").split(","):
        name, sign, value = entry.partition("=")
        if sign and name.strip():
            added[name.strip()] = unquote(value.strip())
    if service := os.environ.get("OTEL_SERVICE_NAME"):
        added["service.name"] = service
    return added


def _pull(ref: str) -> str:
    """Return the number of ``refs/pull/12/merge``."""
    parts = ref.split("/")
    return parts[2] if parts[:2] == ["refs", "pull"] and len(parts) == 4 else ""
