"""A ragate.toml that is no TOML: the line is shown, and what was most likely meant."""

from __future__ import annotations

import pytest

from tests.unit.config.config_factories import changed, error_of


@pytest.mark.parametrize(
    ("right", "wrong", "says"),
    [
        (
            '[policy.metrics."recall@10"]',
            "[policy.metrics.recall@10]",
            'a name with @ stands in quotes: [policy.metrics."recall@10"]',
        ),
        ('use = "replay"', "use = replay", 'a text stands in quotes: "replay"'),
        ("minimum = 0.5", "accept_own = True", "TOML writes true, in lower case"),
        ('owner = "billing"', "<<<<<<< HEAD", "a merge left its marks here"),
        ('use = "replay"', 'use = "replay', "a quote is missing on this line"),
        (
            'paths = ["outputs/*.jsonl"]',
            'paths = ["outputs\\*.jsonl"]',
            "a backslash in double quotes begins an escape",
        ),
    ],
)
def test_a_common_slip_is_named_with_what_to_write(right: str, wrong: str, says: str):
    error = error_of(changed(right, wrong))

    assert says in error
    assert wrong in error.replace("\\\\", "\\")


def test_the_line_and_the_column_stand_behind_the_files_name():
    text = changed('use = "replay"', "use = replay")
    line = text.splitlines().index("use = replay") + 1

    assert error_of(text).startswith(f"ragate.toml:{line}:7: not TOML")


def test_a_file_that_ends_in_the_middle_says_so():
    text = changed('paths = ["outputs/*.jsonl"]', 'paths = ["outputs/*.jsonl"')

    assert "at the end of the file" in error_of(text)
