"""What the evaluators are asked for: their criteria, what they are given and how they reply."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from ragate.core.judging.criteria import ALL_CRITERIA, Criterion
from ragate.judges.llamaindex._replies import JSON_JUDGEMENT, TWO_POINTS, UP_TO_FOUR, YES_NO, Form


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
        values: From the sample's question and the answer to the prompt's variables.
        best: The value of a full score.
    """

    module: str
    values: Callable[[str, str], Mapping[str, str]]
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
    "answer_relevancy": Single(
        "answer_relevancy",
        lambda query, answer: {"query": query, "response": answer},
        TWO_POINTS,
        best=2.0,
    ),
    "guideline": Single(
        "guideline", lambda query, answer: {"query": query, "response": answer}, JSON_JUDGEMENT
    ),
}
CORRECTNESS = "correctness"
SIMILARITY = "semantic_similarity"

ASKED: dict[str, Criterion] = {
    **{name: ALL_CRITERIA[name] for name in (*CHAINED, *SINGLE, CORRECTNESS, SIMILARITY)},
    # The rubric asks whether the answer addresses the question, LlamaIndex whether both are in line
    # with the contexts: without any there is nothing to ask.
    "relevancy": replace(ALL_CRITERIA["relevancy"], grounded=True),
}
