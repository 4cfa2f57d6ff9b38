"""A sequence whose rest is in a file is the sequence that was put there."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragate.errors import StorageError
from ragate.models import Evidence, Record, Sample, ScoreState
from ragate.support.spill import Spill
from tests.factories import run_factory
from tests.unit.support.spill_factories import records

texts = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=20)


values = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, width=64) | texts


samples = st.builds(
    Sample,
    id=texts,
    query=texts,
    relevant=st.dictionaries(texts, st.integers(-1, 1000), max_size=3),
    references=st.lists(texts, max_size=2).map(tuple),
    answerable=st.booleans(),
    tags=st.lists(texts, max_size=2).map(tuple),
    must_pass=st.booleans(),
    metadata=st.dictionaries(
        texts, values.filter(lambda one: one not in (float("inf"), -float("inf"))), max_size=3
    ),
    evidence=st.dictionaries(texts, st.just(Evidence(quote="Yes.")), max_size=1),
)


@given(found=st.lists(samples, max_size=6), kept=st.integers(0, 7))
def test_any_sample_comes_back_as_it_was(found: list[Sample], kept: int) -> None:
    spilled = Spill(Sample, found, kept=kept)

    assert list(spilled) == found
    assert [type(v) for s in spilled for v in s.metadata.values()] == [
        type(v) for s in found for v in s.metadata.values()
    ]


@pytest.mark.parametrize("kept", [0, 3, 100])
def test_it_is_read_like_a_list(kept: int) -> None:
    found = records(9)
    spilled = Spill(Record, found, kept=kept)

    assert len(spilled) == 9
    assert spilled[-1] == found[-1]
    assert spilled[2:8:2] == found[2:8:2]
    assert found[4] in spilled
    assert spilled == found
    assert spilled != found[:-1]
    assert spilled != [*found[:-1], found[0]]
    with pytest.raises(IndexError):
        spilled[9]
    assert spilled[8].scores["u"].state is ScoreState.UNSCORED


def test_two_readers_at_once_do_not_disturb_each_other() -> None:
    found = records(5)
    spilled = Spill(Record, found, kept=1)

    assert list(zip(spilled, reversed(spilled), strict=True)) == list(
        zip(found, reversed(found), strict=True)
    )


def test_threads_read_what_they_asked_for() -> None:
    found = records(40)
    spilled = Spill(Record, found, kept=0)

    with ThreadPoolExecutor(8) as pool:
        read = list(pool.map(spilled.__getitem__, [*range(40)] * 20))

    assert read == found * 20


def test_what_is_kept_in_memory_is_the_very_object() -> None:
    found = records(3)
    spilled = Spill(Record, found, kept=2)

    assert spilled[1] is found[1]
    assert spilled[2] is not found[2]


def test_a_full_disk_is_an_error_with_a_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ragate.support.spill.IN_MEMORY", 1)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "absent"))

    with pytest.raises(StorageError, match="No such file") as caught:
        Spill(Record, records(1), kept=0)
    assert "TMPDIR" in str(caught.value.remedy)


def test_a_run_may_hold_its_records_in_a_file() -> None:
    spilled = Spill(Record, records(4), kept=1)

    run = run_factory([]).amended(records=spilled)

    assert run.records is spilled
