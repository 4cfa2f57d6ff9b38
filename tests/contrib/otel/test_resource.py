"""What every signal carries of workflow, repository and commit."""

from __future__ import annotations

from typing import Any

from ragate.contrib.otel.exporting import metrics_resource, run_resource


def resource_attributes(environment: dict[str, str]) -> dict[str, Any]:
    return dict(run_resource(environment).attributes)


def metrics_attributes(environment: dict[str, str]) -> dict[str, Any]:
    return dict(metrics_resource(environment).attributes)


RUNNER = {
    "GITHUB_WORKFLOW": "gate",
    "GITHUB_RUN_ID": "991",
    "GITHUB_JOB": "check",
    "GITHUB_SHA": "a" * 40,
    "GITHUB_HEAD_REF": "smaller-chunks",
    "GITHUB_BASE_REF": "main",
    "GITHUB_REF": "refs/pull/12/merge",
    "GITHUB_SERVER_URL": "https://github.com",
    "GITHUB_REPOSITORY": "acme/handbook",
    "GITHUB_TOKEN": "ghs_secret",
}


def test_a_pull_requests_run_is_named_by_the_conventions():
    found = resource_attributes(RUNNER)

    assert found["cicd.pipeline.name"] == "gate"
    assert found["cicd.pipeline.run.url.full"].endswith("acme/handbook/actions/runs/991")
    assert found["vcs.change.id"] == "12"
    assert found["vcs.ref.head.revision"] == "a" * 40
    assert found["vcs.ref.head.name"] == "smaller-chunks"
    assert found["vcs.repository.url.full"] == "https://github.com/acme/handbook"
    assert found["vcs.provider.name"] == "github"


def test_no_other_variable_is_sent():
    assert "ghs_secret" not in resource_attributes(RUNNER).values()


def test_outside_of_a_workflow_only_the_service_is_named():
    sent = {name for name in resource_attributes({}) if not name.startswith("telemetry.sdk.")}

    assert sent == {"service.name", "service.version"}


def test_metrics_carry_nothing_that_is_another_one_in_each_run():
    another = {**RUNNER, "GITHUB_RUN_ID": "992", "GITHUB_SHA": "b" * 40, "GITHUB_REF": "refs/x"}

    assert metrics_attributes(RUNNER) == metrics_attributes(another)
    assert metrics_attributes(RUNNER)["vcs.repository.name"] == "handbook"


def test_the_users_variables_win(monkeypatch):
    added = "team=search, vcs.repository.name = other%20one ,nonsense,empty="
    monkeypatch.setenv("OTEL_RESOURCE_ATTRIBUTES", added)
    monkeypatch.setenv("OTEL_SERVICE_NAME", "gate")

    for found in (resource_attributes(RUNNER), metrics_attributes(RUNNER)):
        assert found["team"] == "search"
        assert found["vcs.repository.name"] == "other one"
        assert found["service.name"] == "gate"
        assert found["empty"] == ""
        assert found["telemetry.sdk.language"] == "python"
        assert "nonsense" not in found


def test_nothing_is_in_it_that_differs_from_run_to_run():
    assert resource_attributes(RUNNER) == resource_attributes(RUNNER)
