"""What a system is able to do stands in its own module, and nowhere else."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from ragate import plugins
from ragate.protocols import Traits

PACKAGE = Path(__file__).parents[3] / "ragate"
SYSTEMS = plugins.names("systems")
# The worker's program has no part of ragate but itself: it cannot ask for a trait.
ELSEWHERE = [
    path
    for path in sorted(PACKAGE.rglob("*.py"))
    if not {"systems", "worker"} & {*path.relative_to(PACKAGE).parts}
]


def test_every_built_in_system_has_traits():
    for name in SYSTEMS:
        assert isinstance(plugins.load("systems", name).TRAITS, Traits), name


def test_only_data_is_read_by_these_systems():
    assert [name for name in SYSTEMS if not plugins.traits(name).runs_code] == [
        "http",
        "mcp",
        "pgvector",
        "replay",
        "scores",
    ]


def test_a_service_that_is_started_is_code():
    assert plugins.traits("http").code_keys == ("start", "prepare.command")


@pytest.mark.parametrize(
    ("settings", "keys"),
    [
        ({"prepare": [{"url": "http://x/"}]}, []),
        ({"prepare": [{"url": "http://x/"}, {"command": ["load"]}]}, ["prepare.command"]),
        ({"prepare": {"command": ["load"]}}, ["prepare.command"]),
        ({"prepare": "load"}, ["prepare.command"]),
        ({"start": ["serve"]}, ["start"]),
    ],
)
def test_a_command_that_prepares_a_service_is_code_and_a_request_is_none(settings, keys):
    assert plugins.traits("http").keys_with_code(settings) == keys


def test_a_foreign_system_is_code_and_is_not_imported(tmp_path, monkeypatch):
    (tmp_path / "somebodys.py").write_text("raise AssertionError('imported')")
    monkeypatch.syspath_prepend(str(tmp_path))

    assert plugins.traits("somebodys.system") == Traits()
    assert plugins.traits("no such system") == Traits()
    assert plugins.traits("").runs_code


def test_no_list_of_systems_stands_elsewhere():
    known = set(SYSTEMS) - {"scores"}  # the word for what is measured, too
    for path in ELSEWHERE:
        code = path.read_text(encoding="utf-8")
        named = sum(f'"{name}"' in code for name in known)
        for node in ast.walk(ast.parse(code)) if named > 1 else ():
            if isinstance(node, ast.Set | ast.List | ast.Tuple | ast.Dict):
                items = node.keys if isinstance(node, ast.Dict) else node.elts
                texts = {item.value for item in items if isinstance(item, ast.Constant)}
                place = f"{path}:{node.lineno}"
                assert len(texts & known) < 2, f"{place}: give the systems a trait"
