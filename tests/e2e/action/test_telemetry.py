"""What the action sends to a collector: numbers of a verdict, nothing where strangers run code."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.e2e.action.forge import Forge, outputs
from tests.servers.collector import Collector, attributes, collector

pytestmark = pytest.mark.e2e
FORK = "stranger/handbook"


@pytest.fixture
def listening() -> Iterator[Collector]:
    with collector() as seen:
        yield seen


def told(seen: Collector) -> dict[str, str]:
    return {
        "RAGATE_TELEMETRY": "1",
        "RAGATE_TELEMETRY_TEXTS": "1",
        "OTEL_EXPORTER_OTLP_ENDPOINT": seen.url,
        "OTEL_EXPORTER_OTLP_HEADERS": "x-api-key=ingest-key-0123456789",
    }


def test_a_check_of_the_own_repository_sends_its_verdict_with_the_workflows_names(
    forge: Forge, listening: Collector
) -> None:
    result = forge.check(forge.change(outputs(broken=range(12))), env=told(listening))

    (run,) = listening.named("ragate.run")
    assert result.exit_code == 1, result.log
    assert attributes(run)["ragate.verdict"] == "failed"
    assert attributes(run)["ragate.exit_code"] == 1
    assert any("vcs.repository.name" in resource for resource in listening.resources)
    ((seen, _),) = listening.points("ragate.verdicts")
    assert seen["ragate.event"] == "pull_request"


def test_a_check_of_a_fork_sends_nothing(forge: Forge, listening: Collector) -> None:
    change = forge.change(outputs(broken=range(12)), fork=FORK)

    result = forge.check(change, env=told(listening))

    assert result.exit_code == 1, result.log
    assert not listening.bodies


def test_of_a_fork_pair_only_the_half_without_its_code_sends(
    forge: Forge, listening: Collector
) -> None:
    change = forge.change(outputs(broken=range(12)), fork=FORK)

    _, lines = forge.collect(change, env=told(listening))
    assert not listening.bodies
    forge.decide(change, lines, env=told(listening))

    assert attributes(listening.named("ragate.run")[0])["ragate.command"] == "decide"
    assert listening.events_named("gen_ai.evaluation.result")
