"""Where reports go."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.cli.put_out import targets
from ragate.errors import UsageError


def test_a_format_without_a_file_goes_to_standard_output() -> None:
    assert targets(["json", "console"], [Path("r.json")]) == [
        ("json", Path("r.json")),
        ("console", None),
    ]


def test_a_dash_is_standard_output_and_no_file() -> None:
    assert targets(["console", "json"], [Path("-"), Path("r.json")]) == [
        ("console", None),
        ("json", Path("r.json")),
    ]


@pytest.mark.parametrize("name", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
def test_the_systems_names_of_standard_output_are_it_too(name: str) -> None:
    assert targets(["json"], [Path(name)]) == [("json", None)]


def test_two_reports_in_one_file_are_refused() -> None:
    with pytest.raises(UsageError, match="two --output name the same file"):
        targets(["json", "markdown"], [Path("r"), Path("r")])
