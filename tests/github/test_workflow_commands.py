"""What a step leaves for the steps after it."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.github.publish.workflow_commands import NAMES, relative
from ragate.github.rest.repository import BOT
from ragate.renderers.markdown import marker
from tests.github.publish_factories import HEAD, RED, TARGET, World

pytestmark = pytest.mark.integration


def test_a_red_run_sets_the_status_writes_the_comment_and_the_outputs(world: World) -> None:
    publisher = world.publisher()
    publisher.begin(TARGET)
    paths = {"report-json": "report.json", "report-markdown": "report.md"}
    done = publisher.finish(TARGET, RED, exit_code=1, paths=paths)

    assert world.statuses() == [
        ("ragate/docs", "pending", "judging"),
        (
            "ragate/docs",
            "failure",
            "faithfulness −6.5 points (fell on 17 questions, rose on 4) · blocks the merge",
        ),
    ]
    assert world.comments() == [done.markdown]
    assert done.comment_url == world.github.comments[7][0]["html_url"]
    assert done.markdown in world.summary()
    assert world.outputs() == {
        "verdict": "failed",
        "passed": "false",
        "exit-code": "1",
        "report-json": "report.json",
        "report-markdown": "report.md",
        "report-html": "",
        "comment-url": done.comment_url,
        "samples": "200",
        "affected": "156",
        "regressions": "1",
        "model-calls": "1316",
        "cost-usd": "3.0500",
    }
    assert set(world.outputs()) == set(NAMES)


@pytest.mark.parametrize("address", ["x\nverdict=passed", "javascript:alert(1)", ""])
def test_an_address_that_is_none_costs_no_other_output(world: World, address: str) -> None:
    world.github.add_comment(7, f"{marker('docs', HEAD)}\nold", BOT)["html_url"] = address

    assert world.finish(RED).comment_url == ""
    assert (world.outputs()["verdict"], world.outputs()["comment-url"]) == ("failed", "")


def test_files_that_cannot_be_written_change_nothing(world: World) -> None:
    (world.folder / "summary").mkdir()
    (world.folder / "output").mkdir()

    assert world.finish(RED).comment_url
    assert len(world.log().commands) == 2


def test_paths_in_outputs_start_at_the_workspace(tmp_path: Path) -> None:
    assert relative(tmp_path / "a" / "b.json", tmp_path) == "a/b.json"
    assert relative(tmp_path.parent / "b.json", tmp_path) == ""
