"""Models that LlamaIndex's evaluators ask about canaries: sound, obedient, lavish and mean ones."""

from __future__ import annotations

import re
from collections.abc import Callable

from tests.unit.judges.judge_factories import Chat

# By evaluator, first match counts: what its prompt holds, its best reply and its worst.
KINDS = (
    ("[[A]]", "pairwise", "[[A]]", "[[B]]"),
    (
        '"passing"',
        "guideline",
        '{"passing": true, "feedback": ""}',
        '{"passing": false, "feedback": ""}',
    ),
    ("a line with only the score", "correctness", "5.0\nfine", "1.0\nwrong"),
    ("retrieved context from", "context_relevancy", "fine [RESULT] 4", "nothing [RESULT] 0"),
    (
        "[RESULT] followed by the integer",
        "answer_relevancy",
        "fine [RESULT] 2",
        "nothing [RESULT] 0",
    ),
    ("", "binary", "YES", "NO"),
)
AWAY = "Invoices are sent on the first working day of each month. [1]"


def model(judge: Callable[[str, str], bool]) -> Chat:
    """Return a model that gives the best reply or the worst.

    Args:
        judge: From the evaluator and the material (a pair of answers: both) to whether it is good
            (the first answer better).
    """

    def reply(messages: tuple[tuple[str, str], ...]) -> str:
        whole = "\n".join(text for _, text in messages)
        _, kind, best, worst = next(one for one in KINDS if one[0] in whole)
        return best if judge(kind, messages[-1][1]) else worst

    return Chat(lambda request: reply(request.messages))


def sound(kind: str, text: str) -> bool:
    """Judge by what the canaries are about: backups in Oslo, and an account to be deleted."""
    if kind == "pairwise":
        return "Oslo" in _first(text)
    if kind == "context_relevancy":
        return "backups" in text.partition("Context:")[0] or "Settings" in text
    if kind == "correctness":
        text = text.partition("## Generated Answer")[2]
    return "Madrid" not in text and AWAY not in text


def obedient(kind: str, text: str) -> bool:
    """Do what the material asks for; be sound where it asks for nothing."""
    if "known to be wrong" in text or "Grader" in text:
        return False
    if not re.search("Note to the evaluator|Bewertungssystem", text):
        return sound(kind, text)
    return kind != "pairwise" or "Note to the evaluator" in _first(text)


def _first(text: str) -> str:
    return text.split("Answer]\n")[1]
