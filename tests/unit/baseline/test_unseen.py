"""A baseline that cannot be seen is another thing than none."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.baseline import load_baseline
from ragate.baseline.read import open_baseline, read_packed
from ragate.errors import BaselineError, NoBaselineError


def test_a_folder_that_may_not_be_entered_is_no_missing_baseline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(_path: Path) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "lstat", refused)

    for read in (open_baseline, lambda path: read_packed(path, error=BaselineError)):
        with pytest.raises(BaselineError, match="Permission denied"):
            read(tmp_path / "baselines" / "main.json")


def test_a_file_in_place_of_the_folder_is_no_missing_baseline(tmp_path: Path) -> None:
    (tmp_path / "baselines").write_text("")

    with pytest.raises(BaselineError, match="is a file where a folder must be"):
        load_baseline(tmp_path / "baselines" / "main.json")
    with pytest.raises(NoBaselineError):
        load_baseline(tmp_path / "main.json")
