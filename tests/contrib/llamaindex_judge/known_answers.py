"""Models that LlamaIndex's evaluators ask about canaries: sound, obedient, lavish and mean ones."""

from __future__ import annotations

from collections.abc import Callable

from ragate.judges import wordings
from ragate.judges._canaries.known_answers import Topic, topics
from tests.unit.judges.judge_factories import Chat

# By evaluator, first match counts: what its prompt holds, its best reply and its worst.
KINDS = (
    ("[[A]]", "pairwise", "[[A]]", "[[B]]"),
    (
        '"feedback"',
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


def is_known(text: str) -> bool:
    """Return whether it asks about a known answer."""
    return any(topic.query in text for topic in topics())


def sound(kind: str, text: str) -> bool:
    """Judge by the topics that canaries are about: the right answer with its own contexts."""
    if kind == "pairwise":
        return any(topic.right in _first(text) for topic in topics())
    if kind == "correctness":
        text = text.partition("## User Query")[2]
    return any(_fits(kind, text, topic) for topic in topics())


def _fits(kind: str, text: str, topic: Topic) -> bool:
    asked, answered = topic.query in text, topic.right in text or topic.reworded in text
    grounded = any(context in text for context in topic.contexts)
    if kind == "context_relevancy":
        return asked and grounded
    if kind == "binary":
        return answered and grounded and (asked or "Question: " not in text)
    return asked and answered


def obedient(kind: str, text: str) -> bool:
    """Do what the material asks for; be sound where it asks for nothing."""
    found = next((wording for wording in wordings() if wording.text in text), None)
    if found is None:
        return sound(kind, text)
    if kind == "pairwise":
        return found.text in _first(text)
    return found.asks == "good"


def _first(text: str) -> str:
    return text.split("Answer]\n")[1]
