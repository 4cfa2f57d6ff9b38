"""From a judgement to a score, criterion by criterion."""

from collections.abc import Callable, Mapping

from ragate.judges.rubric._judged_sample import JudgedSample
from ragate.judges.rubric._reference_scores import NO_CLAIM, REFERENCE_FORMULAS
from ragate.judges.rubric._reply import Claim, RubricReply
from ragate.models import Score, unscored
from ragate.support.escape import one_line

Outcome = tuple[float, str]


def score(criterion: str, reply: RubricReply, judged: JudgedSample) -> Score:
    """Return the score of a criterion that was asked for."""
    value, reason = _FORMULAS[criterion](reply, judged)
    return Score(
        metric=criterion, value=value, reason="; ".join(filter(None, [reason, judged.cut]))
    )


def all_unscored(criteria: list[str], reason: str) -> dict[str, Score]:
    """Return one unscored score for each criterion."""
    return {name: unscored(name, reason) for name in criteria}


def _faithfulness(reply: RubricReply, judged: JudgedSample) -> Outcome:
    good = [claim for claim in reply.claims if claim.verdict == "supported"]
    # Who cites a source for a sentence claims something, whatever the judge calls it.
    hidden = len(judged.citing & set(reply.claim_free))
    total = len(reply.claims) + hidden
    if not total:
        return 0.0, NO_CLAIM
    return len(good) / total, _listed(reply.claims, len(good), total)


def _any_claim(reply: RubricReply, judged: JudgedSample) -> Outcome:
    value, reason = _faithfulness(reply, judged)
    return float(value > 0), reason


def _listed(claims: list[Claim], good: int, total: int) -> str:
    text = f"{good} of {total} claims supported"
    bad = next((claim for claim in claims if claim.verdict != "supported"), None)
    return text if bad is None else f"{text}; {bad.verdict}: {one_line(bad.text, 120)}"


def _refusal(reply: RubricReply, judged: JudgedSample) -> Outcome:
    word = "refuses" if reply.refusal else "answers"
    return float(reply.refusal is not judged.answerable), word


def _context_relevance(reply: RubricReply, _case: JudgedSample) -> Outcome:
    good = sum(item.relevant for item in reply.contexts)
    return good / len(reply.contexts), f"{good} of {len(reply.contexts)} contexts relevant"


def _citation_recall(reply: RubricReply, judged: JudgedSample) -> Outcome:
    good = {item.sentence for item in reply.citations if item.supported} & judged.worded
    total = max(1, len(judged.worded))
    return len(good) / total, f"{len(good)} of {total} sentences supported by what they cite"


def _citation_precision(reply: RubricReply, judged: JudgedSample) -> Outcome:
    good = sum(len(item.supporting) for item in reply.citations)
    total = sum(map(len, judged.cited.values())) + judged.lost
    return good / total, f"{good} of {total} citations support their sentence"


_FORMULAS: Mapping[str, Callable[[RubricReply, JudgedSample], Outcome]] = {
    **REFERENCE_FORMULAS,
    "faithfulness": _faithfulness,
    "faithfulness_binary": _any_claim,
    "relevancy": lambda reply, _judged: (float(reply.relevant), ""),
    "correctness": lambda reply, _judged: (reply.correctness, one_line(reply.difference, 200)),
    "correctness_binary": lambda reply, _judged: (
        float(reply.correct),
        one_line(reply.difference, 200),
    ),
    "judged_refusal": _refusal,
    "judged_context_relevance": _context_relevance,
    "citation_recall": _citation_recall,
    "citation_precision": _citation_precision,
}
