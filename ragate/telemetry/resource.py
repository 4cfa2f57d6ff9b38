"""Which run sends: the workflow, the repository and the commit, from the runner's variables.

Metrics carry none of what is another one in each run, so that counts of many runs add up.
"""

from collections.abc import Mapping
from urllib.parse import urlsplit

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
_STAYS = {
    *("service.name", "cicd.pipeline.name", "cicd.pipeline.task.name"),
    *("vcs.repository.url.full", "vcs.repository.name", "vcs.owner.name", "vcs.provider.name"),
}


def resource_attributes(environment: Mapping[str, str]) -> dict[str, str]:
    """Return what every span, event and metric of this run carries.

    ``OTEL_RESOURCE_ATTRIBUTES`` and ``OTEL_SERVICE_NAME`` add to it and win: the SDK reads them.
    """
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


def metrics_attributes(environment: Mapping[str, str]) -> dict[str, str]:
    """Return what every metric carries: what stays from run to run."""
    found = resource_attributes(environment)
    return {name: value for name, value in found.items() if name in _STAYS}


def _pull(ref: str) -> str:
    """Return the number of ``refs/pull/12/merge``."""
    parts = ref.split("/")
    return parts[2] if parts[:2] == ["refs", "pull"] and len(parts) == 4 else ""
