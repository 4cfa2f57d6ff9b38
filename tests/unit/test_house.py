"""The limits of the house: no circles, small functions, names that say what they hold.

`python -m tools.house` prints the figures.
"""

from __future__ import annotations

import ast

import pytest

from tools import house
from tools.house import Counted


def more(counted: Counted) -> str:
    return "\n".join(["", *counted.items])


def test_no_module_imports_itself_by_a_detour_not_even_in_a_function() -> None:
    counted = house.circles()

    assert counted.value == 0, more(counted)


def test_at_most_15_functions_have_more_than_30_lines() -> None:
    counted = house.long_bodies()

    assert counted.value <= 15, more(counted)


def test_fewer_than_3_of_100_names_are_vague() -> None:
    counted = house.vague_names()

    assert counted.value < 3, more(counted)


def test_at_least_85_of_100_public_things_have_a_docstring() -> None:
    counted = house.public_docstrings()

    assert counted.value >= 85, more(counted)


def test_no_two_public_classes_share_a_name() -> None:
    counted = house.shared_class_names()

    assert counted.value == 0, more(counted)


def test_at_least_70_of_100_modules_have_a_test_file_of_their_name() -> None:
    counted = house.modules_with_tests()

    assert counted.value >= 70, more(counted)


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ("def f():\n    pass", 1),
        ('def f():\n    """One.\n\n    Two.\n    """\n    a()\n\n    b()', 3),
        ('def f():\n    """Only words."""', 0),
    ],
)
def test_a_body_is_counted_without_its_docstring(code: str, lines: int) -> None:
    (function,) = ast.parse(code).body

    assert isinstance(function, ast.FunctionDef)
    assert house.body_lines(function) == lines


def test_arguments_and_variables_are_names_as_functions_are() -> None:
    tree = ast.parse("def one(two, *, three, **four):\n    five = six")

    names = [name for _, name in house.bound_names(ast.walk(tree))]
    assert sorted(names) == ["five", "four", "one", "three", "two"]


def test_a_circle_is_named_by_its_modules(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = {"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}}
    monkeypatch.setattr(house, "import_graph", lambda: graph)

    assert house.circles().value == 1
    assert set(house.circles().items) == {"a", "b", "c"}


def test_a_package_that_names_its_own_modules_is_no_circle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(house, "import_graph", lambda: {"a": {"a.b"}, "a.b": {"a"}})

    assert house.circles().value == 0


def test_tokens_of_code_are_without_docstrings_and_comments() -> None:
    code = 'def one():\n    """Return it."""\n    return "a"  # and no more\n'

    assert house.tokens_of(code) == len(["def", "one", "(", ")", ":", "return", '"a"'])
