"""A check without anything configured runs nothing of what could be."""

from __future__ import annotations

from pathlib import Path

from benchmarks.plain_check import ROOT, feature_of, recorded_outputs, walked

MOST_MODULES = 295


def test_a_plain_check_runs_no_function_of_a_feature_that_is_not_configured(tmp_path: Path):
    ran, modules = walked(recorded_outputs(tmp_path, ROOT), ROOT)

    assert len(ran) > 500
    assert [file for file, *_ in sorted(ran) if feature_of(file)] == []
    assert len(modules) <= MOST_MODULES
