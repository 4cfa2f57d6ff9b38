"""What did it: said as a cause only where nothing else can have."""

from __future__ import annotations

from typing import Any

from ragate.core.diagnosis.system_changes import change_origin
from ragate.models import MetricVerdict, Reads, RunManifest, Verdict
from tests.factories import decision_factory, metric_row_factory, system_factory

BOTH = frozenset({Reads.RETRIEVAL, Reads.ANSWER})


def manifest(settings: dict[str, str], repeats: frozenset[Reads] = BOTH) -> RunManifest:
    parts = {"settings": str(sorted(settings.items())), "corpus": "c"}
    system = system_factory(settings=settings, parts=parts, deterministic=repeats)
    return RunManifest(system=system)


def origin(after: dict[str, str], *, repeats: Any = BOTH, unit: str = ""):
    before = manifest({"top_k": "10", "stemmer": '"english"'}, repeats)
    row = metric_row_factory(verdict=MetricVerdict.REGRESSED, blocks=True, unit=unit or "fraction")
    decision = decision_factory(Verdict.FAILED, [row])
    return change_origin(before, manifest(after, repeats), decision)


ONE = {"top_k": "1", "stemmer": '"english"'}


def test_one_setting_alone_of_a_system_that_repeats_did_it() -> None:
    found = origin(ONE)

    assert [part.words for part in found.parts] == ["top_k 10 -> 1"]
    assert found.alone


def test_two_settings_are_both_named_and_neither_is_the_cause() -> None:
    found = origin({"top_k": "1", "stemmer": '"none"'})

    assert len(found.parts) == 2
    assert not found.alone


def test_a_system_that_varies_may_have_varied_or_drifted() -> None:
    assert not origin(ONE, repeats=frozenset({Reads.RETRIEVAL})).alone


def test_the_machine_has_its_share_in_times() -> None:
    assert not origin(ONE, unit="seconds").alone


def test_a_system_that_says_nothing_of_itself_differs_in_nothing_known() -> None:
    opaque = RunManifest(system=system_factory())
    found = change_origin(opaque, opaque, decision_factory())

    assert not found.parts
    assert not found.alone


def test_without_a_baseline_nothing_is_said() -> None:
    assert not change_origin(None, manifest(ONE), decision_factory()).parts
