"""The mark that says what the store has of a run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragate.contrib.run_store.sender import MARK, Mark, read_mark


def test_a_mark_of_another_store_does_not_count(tmp_path: Path) -> None:
    mark = Mark("one", sent="a")
    mark.write(tmp_path)

    assert read_mark(tmp_path, "one") == mark
    assert read_mark(tmp_path, "two") is None


@pytest.mark.parametrize("field", ["next", "ended", "other"])
@pytest.mark.parametrize("value", [None, 7, [[1]], "word"])
def test_a_mark_that_does_not_fit_is_none(field: str, value: object, tmp_path: Path) -> None:
    Mark("one").write(tmp_path)
    mark = json.loads((tmp_path / MARK).read_text())
    (tmp_path / MARK).write_text(json.dumps(mark | {field: value}))

    assert read_mark(tmp_path, "one") is None
