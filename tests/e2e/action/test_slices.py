"""Slices on a pull request: who is in one is the base's to say."""

from __future__ import annotations

import json

import pytest

from tests.e2e.action.command_projects import accept
from tests.e2e.action.forge import Forge, outputs
from tests.e2e.action.main_projects import merged
from tests.e2e.action.talk import judged, say, sticky

pytestmark = pytest.mark.e2e
SLICE = b"""
[[policy.slices]]
name = "billing"
tags = ["billing"]
metrics = ["token_f1"]
"""


def loose(config: bytes) -> bytes:
    """Allow so much that only a slice of which nearly half is lost fails."""
    for metric in (b"token_f1", b'"hit_rate@5"'):
        table = b"[policy.metrics.%s]\n" % metric
        config = config.replace(table, table + b"max_drop = 0.42\n")
    return config


def golden(content: bytes, *, tagged: range) -> bytes:
    rows = [json.loads(line) for line in content.splitlines()]
    for number, row in enumerate(rows):
        row["tags"] = ["billing"] if number in tagged else []
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


@pytest.fixture
def sliced(forge: Forge, gated: dict[str, bytes]) -> Forge:
    config = loose(gated["ragate.toml"])
    files = {
        "ragate.toml": config + SLICE,
        "golden.jsonl": golden(gated["golden.jsonl"], tagged=range(25)),
    }
    forge.base = merged(forge, files)
    return forge


def test_a_change_that_takes_the_tags_off_its_failing_samples_fails_all_the_same(
    sliced: Forge, gated: dict[str, bytes]
) -> None:
    retagged = {"golden.jsonl": golden(gated["golden.jsonl"], tagged=range(25, 30))}
    change = sliced.change({**outputs(broken=range(12)), **retagged})

    result = sliced.check(change)

    assert result.exit_code == 1, result.log
    report = sliced.report()
    (billing,) = report["decision"]["slices"]
    assert (billing["samples"], billing["worse"], billing["blocks"]) == (25, 12, True)
    assert "billing (25 questions): token_f1" in sliced.comment()
    assert report["rules_differ"] == ["the golden set golden.jsonl"]


def test_a_change_that_drops_the_slice_is_judged_by_it_and_said_to(
    sliced: Forge, gated: dict[str, bytes]
) -> None:
    config = loose(gated["ragate.toml"])
    change = sliced.change({**outputs(broken=range(12)), "ragate.toml": config})

    result = sliced.check(change)

    assert result.exit_code == 1, result.log
    report = sliced.report()
    assert report["rules_differ"] == ["[policy.slices] billing: removed"]


def test_a_maintainer_accepts_the_drop_of_a_slice_by_its_name(sliced: Forge) -> None:
    change = sliced.change(outputs(broken=range(12)))
    sliced.github.git.move("change", change.head)
    assert judged(sliced, change).exit_code == 1
    assert "billing:token_f1" in sticky(sliced)

    result = say(sliced, accept(change, "billing:token_f1"))

    assert result.outputs["verdict"] == "passed", result.log
    assert sliced.states(change.head)[-1] == "success"
