"""No secret is published."""

from __future__ import annotations

from dataclasses import replace

import pytest
from pydantic import SecretStr

from ragate.github.event.inputs import Inputs
from ragate.github.publish.changed_sources import Annotation
from ragate.models import MetricVerdict, Verdict
from tests.factories import decision_factory, metric_row_factory, report_factory, sample_row_factory
from tests.github.publish_factories import HEAD, World
from tests.servers.github_stub import TOKEN

pytestmark = pytest.mark.integration


def test_a_key_that_found_its_way_into_the_report_is_cut_out_everywhere(world: World) -> None:
    row = metric_row_factory("faithfulness", 0.9, 0.8, MetricVerdict.REGRESSED, blocks=True)
    report = report_factory(
        decision_factory(Verdict.FAILED, [row], reasons=(f"key {TOKEN}",), warnings=(TOKEN,)),
        gate="docs",
        head=HEAD,
        samples=(sample_row_factory("q1", f"what is {TOKEN}?"),),
    )
    done = world.finish(report, annotations=[Annotation("a.md", 1, TOKEN, TOKEN, "error")])

    shown = [done.markdown, *world.comments(), world.summary(), world.stream.getvalue()]
    assert [text for text in shown if TOKEN in text] == []
    assert TOKEN not in str(world.outputs()) + str(world.statuses())
    bodies = [seen.body for seen in world.github.requests]
    assert [body for body in bodies if TOKEN.encode() in body] == []


def test_a_secret_in_the_inputs_is_not_shown_by_a_traceback(world: World) -> None:
    inputs = replace(Inputs(), github_token=SecretStr("ghs_another"))

    assert "ghs_another" not in repr(replace(world, inputs=inputs).publisher())
