"""Whatever JSON somebody else writes, a reader of it returns or raises an error of its own kind."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragate.contrib.labels.labels import read_labels
from tests.unit.test_foreign_json import JSON, ODD_VALUES, TYPED, changed, places

LABEL = {"query": "How?", "answer": "So.", "contexts": ["It is so."], "criterion": "correctness"}


def _labels(value: Any) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "labels.jsonl"
        path.write_text(json.dumps(value))
        read_labels(path)


READERS: dict[str, tuple[Any, Callable[[Any], object]]] = {
    "label": ({**LABEL, "label": 4}, _labels),
}


@pytest.mark.parametrize("name", READERS)
@given(data=st.data())
def test_a_reader_of_foreign_json_raises_nothing_but_its_own_errors(
    name: str, data: st.DataObject
) -> None:
    sound, read = READERS[name]
    read(sound)
    place = data.draw(st.sampled_from(list(places(sound))))
    with suppress(*TYPED):
        read(changed(sound, place, data.draw(JSON)))


@pytest.mark.parametrize("odd", ODD_VALUES, ids=lambda odd: repr(odd)[:5])
@pytest.mark.parametrize("name", READERS)
def test_an_odd_value_in_any_place_is_refused_or_read(name: str, odd: object) -> None:
    sound, read = READERS[name]
    for place in places(sound):
        with suppress(*TYPED):
            read(changed(sound, place, odd))
