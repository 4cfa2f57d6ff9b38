"""A pattern that matches nothing: the first part of it that is wrong is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.support.glob_hints import why_no_match


@pytest.mark.parametrize(
    ("pattern", "told"),
    [
        ("result/*.jsonl", "there is no folder 'result' in it; did you mean 'results'?"),
        ("results/*.json", "the folder results holds none"),
        ("results/outputs.jsonl", "no file 'outputs.jsonl' in it; did you mean 'output.jsonl'?"),
        ("results", 'it is a folder: "results/**/*" names its files'),
        ("*.jsonl", ""),
        ("**/*.json", ""),
    ],
)
def test_the_first_part_that_leads_nowhere_is_named(tmp_path: Path, pattern: str, told: str):
    (tmp_path / "results").mkdir()
    (tmp_path / "results" / "output.jsonl").touch()

    assert told in why_no_match(tmp_path, pattern)
    assert bool(told) == bool(why_no_match(tmp_path, pattern))
