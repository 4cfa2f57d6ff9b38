"""What a model thinks is no part of its reply."""

from __future__ import annotations

import pytest

from ragate.clients.thoughts import without_thoughts


@pytest.mark.parametrize(
    ("text", "reply"),
    [
        ("<think>Hm.\n</think>\nYes.", "\nYes."),
        ("<THINK>a</THINK><think>b</think>Yes.", "Yes."),
        ("<thinking>a</thinking>Yes.", "Yes."),
        ("<think>It was cut", ""),
        ("Hm.</think>Yes.", "Yes."),
        ("The tag <think> opens.", "The tag <think> opens."),
        ("</think> ends </think> twice", "</think> ends </think> twice"),
        ('{"text": "a</think>"}', '{"text": "a</think>"}'),
        ("Yes.", "Yes."),
    ],
)
def test_a_thought_before_a_reply_is_left_out(text: str, reply: str) -> None:
    assert without_thoughts(text) == reply
