"""What a target is asked, in ragate's process and in a worker alike."""

from __future__ import annotations

from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any, NamedTuple

Turns = list[dict[str, str]]


class AskedQuestion(NamedTuple):
    """A question.

    Attributes:
        query: The question itself.
        turns: Earlier turns of the conversation, ``role`` and ``content`` each.
        sample: For a function that takes the whole sample.
        arrange: What is done to the passages before the answer is written; "" nothing.
    """

    query: str
    turns: Turns
    sample: Any = None
    arrange: str = ""


class AskedSample(SimpleNamespace):
    """A sample as a worker's code gets it: what a user would know of it, as attributes."""


def question_of(fields: Mapping[str, Any]) -> AskedQuestion:
    """Return the question of a request: `query`, `turns`, and `sample` where it is wanted."""
    sample = fields.get("sample")
    if sample is not None:
        messages = [SimpleNamespace(**turn) for turn in fields["turns"]]
        sample = AskedSample(
            **sample, query=fields["query"], messages=messages, turns=fields["turns"]
        )
    return AskedQuestion(fields["query"], fields["turns"], sample, fields.get("arrange", ""))
