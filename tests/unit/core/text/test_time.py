"""Reading a text takes time that grows with its length, whatever stands in it."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from typing import Any

import pytest

from ragate.core.text.citations import with_markers
from ragate.core.text.claims import claims
from ragate.core.text.endings import cut_off
from ragate.core.text.markdown import readable
from ragate.core.text.number_places import claimed_places
from ragate.core.text.numerals import numerals
from ragate.core.text.segmentation import level, units
from ragate.core.text.sentences import split_sentences
from ragate.core.text.statements import names, statement
from ragate.core.text.words import markers, squad_tokens, tokens
from tests.night import NIGHT

READERS = (
    claimed_places,
    level,
    markers,
    names,
    numerals,
    readable,
    split_sentences,
    squad_tokens,
    statement,
    tokens,
    units,
    claims.__wrapped__,
    cut_off,
    with_markers,
)
PIECES = {
    "flags": "\U0001f1e9\U0001f1ea",
    "marks out of order": "\u0f71\u0f72",
    "half-width voicing": "\u0301\uff9e",
    "digits in groups": " 000",
    "fences": "\n```x",
    "backticks": "`. A ",
    "hexadecimal": "4e6f",
    "dates": "1/1/",
    "joiners": "\U0001f469\u200d",
    "full stops": "a.b. ",
    "quotations": "> ",
    "quoted lines": "> > a\n",
    "rows of a table": "| **a** | [b](c) |\n",
    "links": "[a](b",
    "nested links": "[[a](b",
    "emphasis": "*a _b",
    "items": "- 1. ",
    "tags": "<b a",
    "courtesy": "Sure. ",
    "files": "[a.pdf, p. 1, ",
    "cells": "<tr><td>1",
    "objects": '{"a":[',
    "notes": "[^1]: (1) ",
    "times": "1:30 pm ",
    "headings": "# a\n=\n",
    "labels": "\nA b: 1",
    "denials": "I am not a, but ",
}
SIZE = 8_000 if NIGHT else 4_000


def seconds(read: Callable[[str], Any], text: str) -> float:
    gc.disable()  # what it takes grows with all that other tests keep
    try:
        started = time.process_time()
        read(text)
        return time.process_time() - started
    finally:
        gc.enable()


@pytest.mark.parametrize("piece", PIECES.values(), ids=PIECES)
def test_a_text_of_four_times_the_length_takes_no_more_than_eight_times_as_long(piece: str) -> None:
    short = piece * (SIZE // len(piece)) + "0"

    for read in READERS:
        long = (short[:-1] * 4) + "0"
        # In pairs: a machine may be slower than it was a moment ago.
        pairs = ((seconds(read, long), seconds(read, short)) for _ in range(5))
        assert any(more < 8 * less + 0.02 for more, less in pairs), read.__name__
