"""What a judge may be asked, and every score that is decided without asking."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from ragate.core.calls.pairing import why_not
from ragate.core.calls.values import CallRules, as_named, defaults_of, tool_names
from ragate.core.judging.applicability import (
    NO_ANSWER,
    NO_TEXTS,
    failed,
    gave_nothing,
    lacks_texts,
    provider_failure,
    unanswerable,
    without_reference,
)
from ragate.core.text.words import markers
from ragate.models import Sample, Score, SystemOutput, not_applicable, unscored

NOTHING_RETRIEVED = "nothing was retrieved"
TOOL_SEMANTICS = "tool_semantics"
NOT_REPORTED = "the system reports no tool calls"


def unjudged(sample: Sample) -> str:
    return "no expected_calls" if sample.expected_calls is None else ""


def without_right_calls(sample: Sample) -> str:
    return unjudged(sample) or ("" if sample.expected_calls else "no call is right")


def unasked_semantics(sample: Sample, output: SystemOutput) -> Score | None:
    """Return the score of calls that need no judgement: none at all, or the right ones."""
    if gave_nothing(output):
        return Score(metric=TOOL_SEMANTICS, value=0.0)
    if output.tool_calls is None:
        return unscored(TOOL_SEMANTICS, NOT_REPORTED)
    if not output.tool_calls:
        return Score(metric=TOOL_SEMANTICS, value=0.0, reason="no call was made")
    expected = sample.expected_calls or ()
    calls = as_named(output.tool_calls, tool_names(sample))
    if why_not(expected, calls, CallRules(defaults_of(sample))):
        return None
    return Score(metric=TOOL_SEMANTICS, value=1.0, reason="the calls are the right ones")


@dataclass(frozen=True)
class Criterion:
    """One question to a judge.

    Attributes:
        exclude: From a sample to the reason why the criterion does not apply, "" where it does.
        grounded: It compares with the retrieved texts.
        cites: It reads the citation markers of the answer.
        lower_is_better: As of what is made up; of others the higher score is better.
        unasked: Of one that reads no answer: the score that needs no judgement, None where it does.
    """

    name: str
    exclude: Callable[[Sample], str] = unanswerable
    grounded: bool = False
    cites: bool = False
    low: float = 0.0
    high: float = 1.0
    unit: str = "fraction"
    lower_is_better: bool = False
    unasked: Callable[[Sample, SystemOutput], Score | None] | None = None

    @property
    def worst(self) -> float:
        return self.high if self.lower_is_better else self.low


def _by_name(*criteria: Criterion) -> dict[str, Criterion]:
    return {criterion.name: criterion for criterion in criteria}


CRITERIA = _by_name(
    Criterion("faithfulness", grounded=True),
    Criterion("faithfulness_binary", grounded=True),
    Criterion("judged_context_relevance", grounded=True),
    Criterion("citation_recall", grounded=True, cites=True),
    Criterion("citation_precision", grounded=True, cites=True),
    Criterion("judged_refusal", exclude=lambda _sample: ""),
    Criterion("relevancy"),
    Criterion("correctness", exclude=without_reference, low=1.0, high=5.0, unit="grade"),
    Criterion("correctness_binary", exclude=without_reference),
    Criterion("claim_precision", exclude=without_reference),
    Criterion("claim_recall", exclude=without_reference),
    Criterion("claim_f1", exclude=without_reference),
    Criterion("context_utilisation", exclude=without_reference, grounded=True),
    *(
        Criterion(name, exclude=without_reference, grounded=True, lower_is_better=True)
        for name in ("hallucination", "self_knowledge", "noise_sensitivity")
    ),
)

# Asked by evaluators that have a prompt for each question; the rubric has no part for them.
EVALUATED = _by_name(
    Criterion("context_relevancy", grounded=True),
    Criterion("answer_relevancy"),
    Criterion("guideline"),
    Criterion("semantic_similarity", exclude=without_reference),
)

# Of the calls of tools in place of the answer.
OF_CALLS = _by_name(
    Criterion(TOOL_SEMANTICS, exclude=without_right_calls, unasked=unasked_semantics)
)

ALL_CRITERIA = CRITERIA | EVALUATED | OF_CALLS

# Those whose scores are 0 or 1 and nothing between.
YES_OR_NO = frozenset(
    {
        "faithfulness_binary",
        "judged_refusal",
        "relevancy",
        "correctness_binary",
        "guideline",
        TOOL_SEMANTICS,
    }
)


def sort_out(
    criteria: Iterable[str], of_judge: Mapping[str, Criterion], sample: Sample, output: SystemOutput
) -> tuple[dict[str, Score], list[str]]:
    """Return the scores that need no judgement, and the criteria that a judge has to be asked."""
    scores: dict[str, Score] = {}
    to_ask: list[str] = []
    for name in dict.fromkeys(criteria):
        if name not in of_judge:
            scores[name] = unscored(name, "this judge does not know the criterion")
        elif (score := unasked_score(of_judge[name], sample, output)) is not None:
            scores[name] = score
        else:
            to_ask.append(name)
    return scores, to_ask


def unasked_score(criterion: Criterion, sample: Sample, output: SystemOutput) -> Score | None:
    """Return the score that needs no judgement, None where a judge has to be asked.

    A sample that the criterion does not speak about is not applicable; an output that a provider's
    failure prevented is unscored; a failed or empty one has the worst value, as has an answer that
    rests on nothing where it should rest on contexts.
    """
    name = criterion.name
    if reason := criterion.exclude(sample):
        return not_applicable(name, reason)
    if reason := provider_failure(output):
        return unscored(name, reason)
    if criterion.unasked is not None:
        return criterion.unasked(sample, output)
    if failed(output):
        return Score(metric=name, value=criterion.worst)
    if output.answer is None:
        return unscored(name, NO_ANSWER)
    if criterion.grounded and (score := _without_contexts(criterion, output)):
        return score
    return _without_citations(criterion, output) if criterion.cites else None


def _without_contexts(criterion: Criterion, output: SystemOutput) -> Score | None:
    if not output.chunks:
        return Score(metric=criterion.name, value=criterion.worst, reason=NOTHING_RETRIEVED)
    return unscored(criterion.name, NO_TEXTS) if lacks_texts(output) else None


def _without_citations(criterion: Criterion, output: SystemOutput) -> Score | None:
    """Decide where no marker of the answer leads to a chunk: there is nothing to check."""
    cited = markers(output.answer or "")
    if any(1 <= number <= len(output.chunks) for number in cited):
        return None
    if not cited and criterion.name == "citation_precision":
        return Score(
            metric=criterion.name, value=criterion.high, reason="no citations in the answer"
        )
    return Score(metric=criterion.name, value=criterion.low, reason="no citation that resolves")
