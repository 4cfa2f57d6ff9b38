"""What code returned comes back as it was, as far as ragate reads it."""

from __future__ import annotations

import dataclasses
import json
import math
from decimal import Decimal
from enum import StrEnum
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from ragate.systems._output import decoded
from ragate.worker.values import ValueTooDeepError, encoded

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.just("$object"), inner),
    max_leaves=30,
)


def there_and_back(value: Any) -> Any:
    return decoded(json.loads(json.dumps(encoded(value))))


@given(PLAIN)
def test_plain_values_come_back_whatever_their_keys_are_called(value: Any):
    assert there_and_back(value) == value


@dataclasses.dataclass
class Reply:
    answer: str
    chunks: list[str]


class Model(BaseModel):
    answer: str


class Word(StrEnum):
    YES = "yes"


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (Reply("x", ["a"]), {"answer": "x", "chunks": ["a"]}),
        (Model(answer="x"), {"answer": "x"}),
        ({"score": np.float32(0.5), "n": np.int64(3)}, {"score": 0.5, "n": 3}),
        ([np.array([1, 2])], [[1, 2]]),
        ({"score": Decimal("0.25")}, {"score": 0.25}),
        (("a", ("b",)), ["a", ["b"]]),
        ({"word": Word.YES}, {"word": "yes"}),
        ({3: "x"}, {"3": "x"}),
    ],
)
def test_what_means_plain_values_is_read_as_them(value: Any, plain: Any):
    assert there_and_back(value) == plain


@pytest.mark.parametrize("number", [math.inf, -math.inf, math.nan])
def test_a_number_that_json_lacks_comes_back(number: float):
    assert repr(there_and_back([number])) == repr([number])


def test_any_other_object_says_of_itself_what_it_said_there():
    back = there_and_back({"x": slice(1, 2)})["x"]

    assert (type(back).__name__, str(back), repr(back)) == ("slice", *2 * ("slice(1, 2, None)",))


def test_an_object_that_cannot_say_anything_is_named():
    class Mute:
        def __repr__(self) -> str:
            raise RuntimeError("no")

    assert str(there_and_back(Mute())) == "<Mute>"


def test_what_refers_to_itself_is_refused():
    loop: list[Any] = []
    loop.append(loop)

    with pytest.raises(ValueTooDeepError, match="refers to itself"):
        encoded(loop)


@pytest.mark.parametrize(
    "forged",
    [
        {"$float": []},
        {"$float": "one"},
        {"$object": ["one"]},
        {"$object": 3},
        {"$document": {"metadata": {}}},
        {"$node": []},
        {"$node": {"text": "", "metadata": 3, "score": 1, "ref_doc_id": "", "node_id": ""}},
        {"$pairs": [1]},
        {"$unknown": {"metadata": {}}},
    ],
)
def test_what_no_worker_of_ours_sends_is_refused(forged: Any):
    with pytest.raises(ValueError):
        decoded({"answer": forged})
