"""The limits of the house: rooms that are read at one glance, names that say what they hold.

`python -m tests.house` prints the figures.
"""

from __future__ import annotations

import ast

import pytest

from tests import house
from tests.house import Counted


def more(counted: Counted) -> str:
    return "\n".join(["", *counted.items])


def test_no_folder_holds_more_than_16_modules() -> None:
    counted = house.largest_folder()

    assert counted.value <= 16, more(counted)


def test_no_file_is_longer_than_200_lines() -> None:
    counted = house.long_files()

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

    assert {name for _, name in house.bound_names(tree)} == {"one", "two", "three", "four", "five"}
