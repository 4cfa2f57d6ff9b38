"""What did not run is neither green nor red, in the file of any tool; its twin that ran is."""

import random
from dataclasses import replace
from pathlib import Path

import pytest

from ragate.errors import RagateError
from ragate.gate.gate_files import Demands, gate_files
from tests.night import NIGHT
from tests.unit.scores.ways_not_to_run import (
    BROKEN_FILES,
    IN_BEFORE,
    NOT_RUN,
    Change,
    broken,
    harmless,
    unchanged,
)
from tests.unit.scores.written_by_tools import WRITERS, Evaluation, Sample, evaluated

BEFORE = evaluated()
# A tenth of all pairs by day: each way in a few tools, each tool with a few ways.
EVERY = 1 if NIGHT else 10


def ways_of(tool: str) -> list[str]:
    """Return the ways in which an evaluation by this tool is tried not to have run."""
    number = list(WRITERS).index(tool)
    return [
        way
        for place, (way, (tools, _, _)) in enumerate(NOT_RUN.items())
        if tool in tools and (place + number) % EVERY == 0
    ]


def verdict(folder: Path, tool: str, before: bytes, after: bytes) -> int:
    """Return the exit code of the gate on two files."""
    name, _ = WRITERS[tool]
    paths = folder / f"before-{name}", folder / f"after-{name}"
    for path, content in zip(paths, (before, after), strict=True):
        path.write_bytes(content)
    try:
        report = gate_files([paths[0]], [paths[1]], Demands())
    except RagateError as error:
        return error.exit_code
    return report.decision.exit_code


@pytest.mark.parametrize("tool", WRITERS)
def test_what_did_not_run_is_neither_green_nor_red(tool: str, tmp_path: Path):
    write = WRITERS[tool][1]
    before, ran = write(BEFORE), write(harmless(BEFORE))

    codes = {
        way: verdict(tmp_path, tool, before, write(NOT_RUN[way][1](harmless(BEFORE))))
        for way in ways_of(tool)
    }
    codes |= {
        f"{way}, before": verdict(tmp_path, tool, write(NOT_RUN[way][1](BEFORE)), ran)
        for way in ways_of(tool)
        if way in IN_BEFORE
    }
    codes |= {
        way: verdict(tmp_path, tool, before, spoil(ran)) for way, spoil in BROKEN_FILES.items()
    }

    assert {way: code for way, code in codes.items() if code not in (2, 3)} == {}


@pytest.mark.parametrize("tool", WRITERS)
def test_what_did_not_run_is_not_green_where_the_rest_is_worse(tool: str, tmp_path: Path):
    write = WRITERS[tool][1]
    before = write(BEFORE)

    codes = {
        way: verdict(tmp_path, tool, before, write(NOT_RUN[way][1](broken(BEFORE))))
        for way in ways_of(tool)
        if way != "all passed"  # is broken itself
    }

    assert {way for way, code in codes.items() if code == 0} == set()


@pytest.mark.parametrize("tool", WRITERS)
def test_what_ran_is_red_where_it_is_broken_and_else_never(tool: str, tmp_path: Path):
    write = WRITERS[tool][1]
    before = write(BEFORE)
    ran = {way: NOT_RUN[way][2] for way in ways_of(tool)}
    ran = {way: twin for way, twin in ran.items() if twin is not unchanged}
    ran["as it is"] = unchanged

    def codes(change: Change) -> dict[str, int]:
        return {
            way: verdict(tmp_path, tool, before, write(twin(change(BEFORE))))
            for way, twin in ran.items()
        }

    assert set(codes(broken).values()) == {1}
    as_ever = codes(harmless)
    assert as_ever.pop("as it is") == 0
    assert set(as_ever.values()) <= {0, 3}


def drawn_anew(seed: int, *, lost: float = 0.0) -> Evaluation:
    """Return the evaluation with a judge's noise on every score, and `lost` taken off each."""
    chance = random.Random(seed)

    def moved(_: int, sample: Sample) -> Sample:
        scores = {
            name: round(min(1.0, max(0.0, score - lost + chance.gauss(0, 0.03))), 4)
            for name, score in sample.scores.items()
        }
        return replace(sample, scores=scores)

    return BEFORE.each(moved)


@pytest.mark.parametrize(("lost", "red"), [(0.0, False), (0.03, True)])
def test_what_ran_is_wrongly_decided_in_few_draws(lost: float, red: bool, tmp_path: Path):
    write = WRITERS["plain jsonl"][1]
    draws = 100 if NIGHT else 10

    codes = [
        verdict(
            tmp_path,
            "plain jsonl",
            write(drawn_anew(2 * seed)),
            write(drawn_anew(2 * seed + 1, lost=lost)),
        )
        for seed in range(draws)
    ]

    assert codes.count(int(red)) >= 0.95 * draws
