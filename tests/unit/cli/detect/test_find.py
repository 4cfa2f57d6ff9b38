"""Which of several systems of a project is the likeliest."""

from __future__ import annotations

from pathlib import Path

from ragate.cli.detect import find_systems
from tests.unit.cli.detect.code import project
from tests.unit.cli.detect.test_routes import FASTAPI

LLAMAINDEX = "import llama_index\ndef engine(): return index.as_query_engine()\n"


def uses(root: Path) -> list[str]:
    return [each.use for each in find_systems(root)]


def test_an_engine_comes_before_the_service_around_it_and_that_before_a_function(tmp_path: Path):
    root = project(
        tmp_path, engine=LLAMAINDEX, main=FASTAPI, helper="def search(query): return 'x'"
    )

    assert uses(root) == ["llamaindex", "http", "python"]


def test_a_target_is_named_once(tmp_path: Path):
    code = "import langchain\ndef answer(question): return 'x'\nretriever = db.as_retriever()\n"
    root = project(tmp_path, chain=code)

    targets = [each.settings["target"] for each in find_systems(root)]

    assert len(targets) == len(set(targets)) == 2


def test_a_project_without_code_has_none(tmp_path: Path):
    assert find_systems(project(tmp_path)) == []
