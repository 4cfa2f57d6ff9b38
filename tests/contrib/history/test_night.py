"""When the night is told: only where main's own policy rules."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from ragate.contrib.history.night import after_night, alert_body, as_text, is_night, send_alert
from ragate.github.gate.step_context import StepContext
from tests.factories import decision_factory, report_factory
from tests.servers.collector import collector


def context(**fields: Any) -> StepContext:
    """Return as much of a step as these functions look at before anything is read."""
    facts = {"name": "schedule", "ref": "refs/heads/main", "mode": "baseline", "outputs": ""}
    facts |= fields
    event = SimpleNamespace(name=facts["name"], ref=facts["ref"], default_branch="main")
    inputs = SimpleNamespace(mode=facts["mode"], outputs_path=facts["outputs"])
    warnings: list[str] = []
    log = SimpleNamespace(warning=warnings.append, warnings=warnings)
    made = SimpleNamespace(event=event, inputs=inputs, log=log, config_path=Path("nowhere.toml"))
    return cast("StepContext", made)


@pytest.mark.parametrize("mode", ["baseline", "record"])
def test_the_scheduled_run_of_main_is_the_night(mode: str):
    assert is_night(context(mode=mode))


@pytest.mark.parametrize(
    "fields",
    [
        {"name": "push"},
        {"name": "pull_request"},
        {"ref": "refs/heads/feature"},
        {"mode": "check"},
        {"mode": "decide"},
        {"outputs": "outputs.jsonl"},
    ],
)
def test_nothing_else_is(fields: dict[str, str]):
    assert not is_night(context(**fields))


def test_what_goes_wrong_is_a_warning_and_no_verdict():
    broken = context()

    after_night(broken, None, 3)

    (warning,) = cast("Any", broken.log).warnings
    assert warning.startswith("the history of this night is not told: ")


# One message to a webhook.


def test_the_text_says_gate_commit_and_verdict():
    body = alert_body("docs", head="a" * 40, exit_code=3, run_url="https://x.example", report=None)

    assert (
        body["text"] == "ragate, night of docs at aaaaaaa: no decision (exit 3). https://x.example"
    )
    assert body["counts"] == {}


def test_counts_are_of_the_report():
    report = report_factory(decision_factory())

    body = alert_body("docs", head="a" * 40, exit_code=1, run_url="", report=report)

    assert body["counts"]["metrics"] == len(report.decision.metrics)
    assert body["counts"]["samples"] == report.facts.samples


@pytest.mark.parametrize(
    "url",
    [
        "",
        "hooks.example/x",
        "http://hooks.example/x",
        "ftp://hooks.example",
        "https://",
        "http://[",
    ],
)
def test_only_https_is_sent_to(url: str):
    assert send_alert(url, "{}") == "its variable holds no https address"


def test_a_webhook_gets_the_body_once():
    with collector() as hook:
        hook.status = 204
        problem = send_alert(f"{hook.url}/x", as_text({"text": "é"}))

    assert problem == ""
    assert hook.bodies == [b'{"text": "\\u00e9"}']
    assert hook.headers[0]["content-type"] == "application/json"


@pytest.mark.parametrize("status", [300, 302, 404, 500])
def test_what_is_not_taken_is_said_and_not_sent_again(status: int):
    with collector() as hook:
        hook.status = status
        problem = send_alert(f"{hook.url}/x", "{}")

    assert problem == f"HTTP {status}"
    assert len(hook.bodies) == 1


def test_a_webhook_that_is_out_is_no_more_than_a_sentence():
    with collector() as hook:
        url = hook.url

    assert send_alert(f"{url}/secret", "{}") == "no connection, or no answer in time"


def test_a_proxy_of_the_environment_sees_nothing(monkeypatch: pytest.MonkeyPatch):
    with collector() as proxy, collector() as hook:
        hook.status = 204
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        monkeypatch.setenv("ALL_PROXY", proxy.url)

        assert send_alert(f"{hook.url}/x", "{}") == ""

    assert proxy.bodies == []
