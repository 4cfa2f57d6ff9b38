"""What the evaluators are asked for: their criteria, what they are given and how they reply."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

from ragate.core.judging.criteria import ALL_CRITERIA, Criterion
from ragate.files.strict_json import loads
from ragate.guards.escape import one_line
from ragate.judges._asking import InvalidReplyError, object_texts, only_valid

Reading = tuple[float, str]
MAX_CHARS = 100_000

# A word ends where no letter or digit follows, a hyphen or apostrophe between included.
_FIRST = re.compile(r"[\W_]*(?P<word>yes|no)(?![-'’]?[^\W_])(?P<rest>.*)", re.I | re.DOTALL)
_EITHER = re.compile(r"[\W_]*(?:(?:or|and)\b)?[\W_]*(?:yes|no)(?![^\W_])", re.I)
_GRADE = re.compile(r"[*`_ \t]*(?P<number>[0-9]{1,2}(?:\.[0-9]{1,6})?)[*`_ \t]*")
_MARK = "[RESULT]"
_PREFERENCE = re.compile(r"\[\[([ABC])\]\]")
_POINTS = re.compile(r"[\s:*`_]*(?P<number>[0-9]{1,2}(?:\.[0-9]{1,6})?)[\s.*`_]*")


# From a reply to a value: in the form that was asked for, or not at all.


@dataclass(frozen=True)
class Form:
    """How a reply has to look.

    Attributes:
        name: For a report: what no reply was.
        wish: Tells the model how to write it, after one that could not be read.
        read: From a reply to a value and a remark. Raises InvalidReplyError.
    """

    name: str
    wish: str
    read: Callable[[str], Reading]


def read_yes_no(text: str) -> Reading:
    """Return 1 where the first word is YES, 0 where it is NO, in any case and punctuation.

    Raises:
        InvalidReplyError: it is another word, or both are offered ("YES/NO").
    """
    match = _FIRST.match(text)
    if match is None or _EITHER.match(match["rest"]):
        raise InvalidReplyError("the first word is neither YES nor NO")
    return float(match["word"].lower() == "yes"), ""


def read_grade(text: str) -> Reading:
    """Return the number from 1 to 5 that is the first line, and what stands below it.

    Raises:
        InvalidReplyError: the first line is anything else.
    """
    grade, _, reasons = text.strip().partition("\n")
    return _number(_GRADE.fullmatch(grade), low=1.0, high=5.0), one_line(reasons, 200)


def read_up_to_four(text: str) -> Reading:
    """Return the points behind the only mark, or the number that is the whole reply.

    A refine prompt shows no mark and asks for the number.

    Raises:
        InvalidReplyError: there is neither, or not from 0 to 4.
    """
    return _marked(text, high=4.0), ""


def read_two_points(text: str) -> Reading:
    """Return the 0, 1 or 2 behind the only mark, or that is the whole reply.

    Raises:
        InvalidReplyError: there is neither, or another number.
    """
    points = _marked(text, high=2.0)
    if points not in (0.0, 1.0, 2.0):
        raise InvalidReplyError(f"{points:g} is not 0, 1 or 2")
    return points, ""


def read_json_judgement(text: str) -> Reading:
    """Return 1 or 0 for the boolean ``passing``, and the feedback.

    Raises:
        InvalidReplyError: it is not one JSON object with exactly these two keys and their types.
    """
    return only_valid(object_texts(text, max_chars=MAX_CHARS), _passing)


def _passing(text: str) -> Reading:
    value = loads(text, where="reply", error=InvalidReplyError, max_depth=4)
    if not isinstance(value, dict) or value.keys() != {"passing", "feedback"}:
        raise InvalidReplyError("not an object with the keys passing and feedback")
    passing, feedback = value["passing"], value["feedback"]
    if not isinstance(passing, bool) or not isinstance(feedback, str):
        raise InvalidReplyError("passing is not true or false, or feedback is no text")
    return float(passing), one_line(feedback, 200)


def read_preference(text: str) -> Reading:
    """Return 1 for the mark [[A]], 0 for [[B]] and 0.5 for [[C]], a tie.

    Raises:
        InvalidReplyError: there is no mark, or different ones.
    """
    marks = set(_PREFERENCE.findall(text))
    if len(marks) != 1:
        raise InvalidReplyError("not one of [[A]], [[B]] and [[C]]")
    return {"A": 1.0, "B": 0.0, "C": 0.5}[marks.pop()], ""


def _marked(text: str, *, high: float) -> float:
    head, mark, tail = text.rpartition(_MARK)
    if _MARK in head:
        raise InvalidReplyError(f"{_MARK} stands there more than once")
    return _number(_POINTS.fullmatch(tail if mark else text), low=0.0, high=high)


def _number(match: re.Match[str] | None, *, low: float, high: float) -> float:
    if match is None:
        raise InvalidReplyError("no number where one was asked for")
    if not low <= (value := float(match["number"])) <= high:
        raise InvalidReplyError(f"{value:g} is not from {low:g} to {high:g}")
    return value


def _points(range_words: str) -> str:
    return f"Send the line {_MARK} followed by the points, {range_words}, and nothing else."


YES_NO = Form("YES or NO", "Reply with the one word YES or NO.", read_yes_no)
GRADE = Form(
    "a grade from 1 to 5",
    "Send the grade, a number from 1 to 5, alone on the first line, and your reasons below it.",
    read_grade,
)
UP_TO_FOUR = Form("points from 0 to 4", _points("a number from 0 to 4"), read_up_to_four)
TWO_POINTS = Form("0, 1 or 2 points", _points("0, 1 or 2"), read_two_points)
PREFERENCE = Form(
    "[[A]], [[B]] or [[C]]",
    "Send the verdict alone: [[A]], [[B]], or [[C]] for a tie.",
    read_preference,
)
JSON_JUDGEMENT = Form(
    "the JSON asked for",
    "Send one JSON object with the keys passing (true or false) and feedback (text), and nothing "
    "around it.",
    read_json_judgement,
)


@dataclass(frozen=True)
class Chained:
    """An evaluator that goes through the contexts, and stops at the best value.

    Attributes:
        module: The module of LlamaIndex's evaluation package.
        question: From the sample's question and the answer to what is asked of the contexts.
        best: The value at which its refine prompt has the model stay.
    """

    module: str
    question: Callable[[str, str], str]
    form: Form
    best: float = 1.0


@dataclass(frozen=True)
class Single:
    """An evaluator that asks once, without contexts.

    Attributes:
        best: The value of a full score.
    """

    module: str
    form: Form
    best: float = 1.0


CHAINED: dict[str, Chained] = {
    "faithfulness_binary": Chained("faithfulness", lambda _query, answer: answer, YES_NO),
    "relevancy": Chained(
        "relevancy", lambda query, answer: f"Question: {query}\nResponse: {answer}", YES_NO
    ),
    "context_relevancy": Chained(
        "context_relevancy", lambda query, _answer: query, UP_TO_FOUR, best=4.0
    ),
}
SINGLE: dict[str, Single] = {
    "answer_relevancy": Single("answer_relevancy", TWO_POINTS, best=2.0),
    "guideline": Single("guideline", JSON_JUDGEMENT),
}
CORRECTNESS = "correctness"
SIMILARITY = "semantic_similarity"

ASKED: dict[str, Criterion] = {
    **{name: ALL_CRITERIA[name] for name in (*CHAINED, *SINGLE, CORRECTNESS, SIMILARITY)},
    # The rubric asks whether the answer addresses the question, LlamaIndex whether both are in line
    # with the contexts: without any there is nothing to ask.
    "relevancy": replace(ALL_CRITERIA["relevancy"], grounded=True),
}
