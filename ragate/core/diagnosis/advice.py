"""What to do about an answer, by who writes it: a prompt and a model, or quoted sentences alone."""

from collections.abc import Collection
from typing import NamedTuple

from ragate.models import CauseKind


class Advice(NamedTuple):
    """Likely causes and actions that speak of whatever writes the answers.

    Attributes:
        made_up: Why answers say what the contexts do not; to_right_question: where they answer it.
        stay_with_contexts, name_question, whole_answers, cut_short: What to do.
        readily, refuse_less: Why refusals rise, and what to do.
        unsure, refuse_more: Why unanswerable questions get answers, and what to do.
        numbering, compare_numbering: Why citations fall, and what to do.
        answers_otherwise, compare_writer: Of samples that generation lost.
        before_touching: What retrieval is to be looked at before.
        find_documents: What to do where expected ones are missed.
    """

    made_up: str
    to_right_question: str
    stay_with_contexts: str
    name_question: str
    whole_answers: str
    cut_short: str
    readily: str
    refuse_less: str
    unsure: str
    refuse_more: str
    numbering: str
    compare_numbering: str
    answers_otherwise: str
    compare_writer: str
    before_touching: str
    find_documents: str = "check that they are in the corpus; let retrieval return more passages"


_FEWER = "pass it fewer contexts"
MODEL = Advice(
    made_up="the model adds facts of its own",
    to_right_question=" to the right question",
    stay_with_contexts="tell the prompt to state only what the contexts hold and to say when they "
    f"do not; {_FEWER} where they are noisy",
    name_question="; let the prompt name the question last",
    whole_answers="ask the prompt for complete answers",
    cut_short="cut short asks for a prompt that wants whole answers, another document",
    readily="the prompt refuses too readily",
    refuse_less="soften the prompt's refusal clause",
    unsure="the prompt no longer says what to do without evidence",
    refuse_more="tell the prompt to refuse where the contexts do not hold the answer",
    numbering="the prompt lost its citation rule, or the numbering of the contexts no longer "
    "matches the markers",
    compare_numbering="compare the prompt's citation rule and the order in which contexts are "
    "numbered with the baseline's",
    answers_otherwise="the prompt or the model answers otherwise",
    compare_writer="compare the prompt, the model and its parameters with the baseline's",
    before_touching=" before touching the prompt",
)
# Sentences of the contexts, as they stand there: no facts are added, and there is no prompt.
QUOTED = Advice(
    made_up="answers are quoted, so what no context holds is the refusal, or marks and links that "
    "quoting takes away",
    to_right_question="",
    stay_with_contexts="compare false_refusal first: refusals come where no sentence covers enough "
    "of the question",
    name_question="",
    whole_answers="raise `sentences` of [system.answer]",
    cut_short="a sentence left out asks for more `sentences` or a lower `threshold` of "
    "[system.answer], another document",
    readily="`threshold` of [system.answer] is too high",
    refuse_less="lower that threshold",
    unsure="`threshold` of [system.answer] is too low, or other passages cover the questions",
    refuse_more="raise that threshold",
    numbering="other sentences are quoted, or refusals rose, which cite nothing",
    compare_numbering="compare false_refusal, and [system.answer] with the baseline's",
    answers_otherwise="other sentences are quoted",
    compare_writer="compare [system.answer] with the baseline's",
    before_touching="",
)


# Nothing but contexts comes back: what is said of answers has no metric to speak of.
RETRIEVED = MODEL._replace(to_right_question="", before_touching="")


def advice_for(
    *, has_model: bool | None, keys: Collection[str] = (), answered: bool = True
) -> Advice:
    """Return what to say where a model writes, or nobody does; unknown counts as a model.

    Args:
        keys: Those of the system's configuration, as far as it tells them: no other is named.
        answered: The system gave answers, and not contexts alone.
    """
    advice = QUOTED if has_model is False else MODEL if answered else RETRIEVED
    if "top_k" not in keys:
        return advice
    return advice._replace(
        stay_with_contexts=advice.stay_with_contexts.replace(_FEWER, "lower `top_k`"),
        find_documents="check with `ragate doctor` that they are in the corpus; raise `top_k`",
    )


def advice_by_cause(advice: Advice) -> dict[CauseKind, tuple[str, str]]:
    """Return likely cause and action where most of the worse samples have one cause."""
    return {
        CauseKind.RETRIEVAL: (
            "the change made retrieval worse",
            f"look at what displaced the expected documents{advice.before_touching}",
        ),
        CauseKind.GENERATION: (advice.answers_otherwise, advice.compare_writer),
        CauseKind.JUDGE: (
            "the judge changed its mind about equal outputs",
            "pin the judge's model version; more runs average this out",
        ),
        CauseKind.DATA: (
            "the golden set or the documents changed",
            "read what changed in them; correct what is out of date, then record the baseline anew",
        ),
        CauseKind.SYSTEM_ERROR: (
            "the system fails on these samples",
            "read the errors; nothing else about these samples means anything yet",
        ),
        CauseKind.DRIFT: (
            "the provider or the data moved since the baseline was recorded",
            "record the baseline anew: `ragate baseline update`",
        ),
    }
