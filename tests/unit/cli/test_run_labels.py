"""What a person notes with a run, from the command line."""

from __future__ import annotations

import pytest

from ragate.cli.run_labels import read_meta
from ragate.errors import UsageError


def test_a_value_may_hold_an_equals_sign():
    assert read_meta(("ticket=RAG-17", "query=a=b", "empty=")) == {
        "ticket": "RAG-17",
        "query": "a=b",
        "empty": "",
    }


@pytest.mark.parametrize("text", ["ticket", "=x", "two words=x", "-x=y", "k" * 65 + "=x", "ä=x"])
def test_what_is_no_pair_is_refused_with_its_text(text: str):
    with pytest.raises(UsageError, match="not KEY=VALUE"):
        read_meta((text,))


def test_a_key_has_one_value():
    with pytest.raises(UsageError, match="--meta ticket is given twice"):
        read_meta(("ticket=1", "ticket=2"))


def test_a_value_is_bounded():
    with pytest.raises(UsageError, match="1001 characters, and the limit is 1000"):
        read_meta(("ticket=" + "x" * 1001,))


def test_the_number_of_keys_is_bounded():
    with pytest.raises(UsageError, match="51 --meta, and the limit is 50"):
        read_meta(tuple(f"k{number}=x" for number in range(51)))
