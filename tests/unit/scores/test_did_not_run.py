"""An evaluation that did not run is neither green nor red; one that did is what it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.errors import RagateError
from ragate.gate.gate_files import Demands, gate_files
from tests.unit.core.decision_factories import NIGHT
from tests.unit.scores.evaluations import WAYS, WRITERS, Evaluation, evaluation


def code_of(folder: Path, before: str, after: str) -> int:
    """Return what `ragate gate` ends with."""
    paths = folder / "before", folder / "after"
    for path, text in zip(paths, (before, after), strict=True):
        path.write_text(text)
    try:
        report = gate_files([paths[0]], [paths[1]], Demands())
    except RagateError as error:
        return error.exit_code
    return report.decision.exit_code


def written(writer: str, run: Evaluation) -> str:
    return WRITERS[writer](run)


@pytest.mark.parametrize("writer", WRITERS)
@pytest.mark.parametrize("lost", [0.0, 0.15])
def test_what_did_not_run_is_neither_green_nor_red(writer: str, lost: float, tmp_path: Path):
    before = written(writer, evaluation(1))
    ran = evaluation(2, lost=lost)
    ended = {
        name: code_of(tmp_path, before, way.text(written(writer, way.spoil(ran))))
        for name, way in WAYS.items()
        if writer not in way.but
    }

    # A drop that shows in what was measured is red, whatever else is missing.
    wrong = {name: code for name, code in ended.items() if code not in {2, 3}}
    red = {name for name, code in wrong.items() if code == 1}
    assert not (wrong if lost == 0 else wrong.keys() - red)
    assert red <= {"a third are errors", "half of the samples", "NaN", "null"} | {
        "a tenth of the samples is missing", "cut before its end", "cut in half",
        "another metric",
    }  # fmt: skip


def twins(folder: Path, *, lost: float) -> list[int]:
    """Return what `gate` ends with on evaluations that ran, as each of the writers writes them.

    Ten of each writer at night, two by day.
    """
    codes = []
    for place, writer in enumerate(WRITERS):
        for number in range(10 if NIGHT else 2):
            seed = 1_000 * place + 10 * number
            before, after = evaluation(seed + 1), evaluation(seed + 2, lost=lost)
            codes.append(code_of(folder, written(writer, before), written(writer, after)))
    return codes


def test_of_a_hundred_harmless_twins_that_ran_two_are_red_at_most(tmp_path: Path):
    codes = twins(tmp_path, lost=0.0)

    most = 2 if NIGHT else 1  # of a hundred, or of twenty
    assert len(codes) >= (100 if NIGHT else 20)
    assert codes.count(1) <= most
    assert codes.count(0) >= len(codes) - most  # what ran is decided


def test_of_a_hundred_broken_twins_that_ran_95_are_red_at_least(tmp_path: Path):
    codes = twins(tmp_path, lost=0.03)

    assert codes.count(1) >= 95 / 100 * len(codes)
