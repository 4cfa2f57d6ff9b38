"""What a merged baseline says of itself."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ragate.baseline import merge_baselines, parse_baseline
from ragate.errors import BaselineError
from ragate.models import Acceptance, MetricInfo, Reads, Score, SystemInfo
from tests.unit.baseline.baseline_factories import recorded_as, with_figures

BEFORE = {"q1": "one", "q2": "two"}
OURS, THEIRS = {"q1": "uno", "q2": "two"}, {"q1": "one", "q2": "due"}


def system(**fields: Any) -> SystemInfo:
    both = frozenset({Reads.RETRIEVAL, Reads.ANSWER})
    return SystemInfo(use="pgvector", fingerprint="f", deterministic=both).amended(**fields)


def merged(ours: dict[str, Any], theirs: dict[str, Any], **before: Any) -> Any:
    files = (
        recorded_as(BEFORE, **before),
        recorded_as(OURS, day=2, **ours),
        recorded_as(THEIRS, day=3, **theirs),
    )
    return json.loads(merge_baselines(*files, name="b.json").content)


def test_the_system_is_unknown_and_nothing_says_that_it_repeats():
    same = {"system": system()}

    found = merged(same, same, **same)["system"]

    assert (found["fingerprint"], found["deterministic"]) == ("", [])


def test_settings_are_three_way_and_what_both_changed_is_in_neither():
    settings = {"top_k": "5", "size": "1", "k1": "1"}
    data = merged(
        {"system": system(settings={**settings, "top_k": "8", "k1": "2"})},
        {"system": system(settings={**settings, "size": "2", "k1": "3"})},
        system=system(settings=settings),
    )

    assert data["system"]["settings"] == {"top_k": "8", "size": "2"}


@pytest.mark.parametrize(
    ("fields", "named"),
    [
        ({"judge": "another"}, "judge"),
        ({"dataset": "other.jsonl"}, "golden set"),
        ({"metrics": {"token_f1": MetricInfo(name="token_f1", fingerprint="g")}}, "metrics"),
        ({"eval_date": "2026-02-02"}, "date of {today}"),
        ({"system": system(use="http")}, "kind of system"),
    ],
)
def test_two_that_were_measured_otherwise_are_not_merged(fields: dict[str, Any], named: str):
    with pytest.raises(BaselineError, match=named) as raised:
        merged({"system": system()}, {"system": system(), **fields})

    assert "ragate baseline update" in raised.value.remedy


def test_accepted_drops_of_both_are_kept_once():
    def accepted(*names: str) -> dict[str, Any]:
        rows = [Acceptance(metric=name, reason="r", by="me", commit="c" * 40) for name in names]
        return {"accepted": tuple(rows)}

    data = merged(accepted("a", "b"), accepted("b", "c"))

    assert [row["metric"] for row in data["accepted"]] == ["a", "b", "c"]


def test_figures_of_whole_runs_are_kept_where_all_that_was_taken_is_of_one_side():
    infos = {name: MetricInfo(name=name, fingerprint="f") for name in ("token_f1", "rate")}

    def figures(rate: float) -> dict[str, Any]:
        return {"rate": Score(metric="rate", value=rate)}

    def side(answers: dict[str, str], rate: float, day: int) -> bytes:
        return with_figures(answers, figures(rate), day=day, metrics=infos)

    before, ours, theirs = side(BEFORE, 1.0, 1), side(OURS, 0.5, 2), side(THEIRS, 0.5, 3)
    apart = merge_baselines(before, ours, theirs, name="b.json")
    one = merge_baselines(before, ours, side(BEFORE, 1.0, 3), name="b.json")

    assert apart.figures == ("rate",)
    assert json.loads(apart.content)["aggregates"] == [{}, {}]
    assert one.figures == ()
    assert json.loads(one.content)["aggregates"] == [{"rate": 0.5}, {"rate": 0.5}]


def test_passes_that_differ_no_more_are_counted_anew():
    assert merged({}, {})["identical"] == 1


def test_the_note_is_read_back_and_written_again():
    files = (recorded_as(BEFORE), recorded_as(OURS, day=2), recorded_as(THEIRS, day=3))
    content = merge_baselines(*files, name="b.json").content

    run = parse_baseline(content, where="b.json")

    assert run.manifest.merged is not None
    assert [one.commit[0] for one in run.manifest.merged.recordings] == ["2", "3"]
