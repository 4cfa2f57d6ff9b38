"""From claims held against references to scores."""

from collections.abc import Callable, Iterator
from itertools import groupby

from ragate.judges.rubric._judged_sample import JudgedSample
from ragate.judges.rubric._reference_claims import ReferenceClaim
from ragate.judges.rubric._reply import Claim, RubricReply
from ragate.support.escape import one_line

Outcome = tuple[float, str]
NO_CLAIM = "the answer claims nothing"
NO_REFERENCE_CLAIM = "the references claim nothing"
_SHOWN = 120


def _share(
    counts: Callable[[Claim, bool], bool], *, hidden: bool, worst: float, word: str
) -> Callable[[RubricReply, JudgedSample], Outcome]:
    """Return the share of the answer's claims that count.

    Args:
        counts: Of a claim, and of whether a reference states it.
        hidden: Whether sentences count that cite a source and are said to claim nothing.
        worst: Of an answer without a claim.
    """

    def share(reply: RubricReply, judged: JudgedSample) -> Outcome:
        stated = {item.claim for item in reply.right if item.stated}
        concealed = len(judged.citing & set(reply.claim_free))
        total = len(reply.claims) + concealed
        if not total:
            return worst, NO_CLAIM
        counted = [one for one in reply.claims if counts(one, one.id in stated)]
        number = len(counted) + concealed * hidden
        named = f": {one_line(counted[0].text, _SHOWN)}" if counted and worst else ""
        return number / total, f"{number} of {total} claims {word}{named}"

    return share


_precision = _share(lambda _one, stated: stated, hidden=False, worst=0.0, word="right")


def _recall(reply: RubricReply, judged: JudgedSample) -> Outcome:
    return _best(
        (sum(one.in_answer for one in claims), len(claims))
        for claims in _by_reference(reply, judged)
    )


def _f1(reply: RubricReply, judged: JudgedSample) -> Outcome:
    precision, _ = _precision(reply, judged)
    recall, reason = _recall(reply, judged)
    if reason == NO_REFERENCE_CLAIM:
        return 0.0, reason
    return _harmonic_mean(precision, recall), f"precision {precision:.2f}, recall {recall:.2f}"


def _utilisation(reply: RubricReply, judged: JudgedSample) -> Outcome:
    references = list(_by_reference(reply, judged))
    if not references:
        return 0.0, NO_REFERENCE_CLAIM
    found = [[one for one in claims if one.contexts] for claims in references]
    if not any(found):
        return 0.0, "the contexts state no claim of a reference"
    return _best((sum(one.in_answer for one in claims), len(claims)) for claims in found if claims)


def _best(counts: Iterator[tuple[int, int]]) -> Outcome:
    best = max(counts, key=lambda count: (count[0] / count[1], count[1]), default=None)
    if best is None:
        return 0.0, NO_REFERENCE_CLAIM
    good, total = best
    return good / total, f"{good} of {total} claims of a reference in the answer"


def _by_reference(reply: RubricReply, judged: JudgedSample) -> Iterator[list[ReferenceClaim]]:
    """Yield the claims of each reference that claims anything."""

    def reference_of(claim: ReferenceClaim) -> int:
        return judged.reference_sentences[claim.sentence - 1][0]

    for _, claims in groupby(sorted(reply.reference_claims, key=reference_of), reference_of):
        yield list(claims)


def _harmonic_mean(one: float, other: float) -> float:
    return 2 * one * other / (one + other) if one + other else 0.0


def _unsupported(claim: Claim) -> bool:
    return claim.verdict != "supported"


REFERENCE_FORMULAS: dict[str, Callable[[RubricReply, JudgedSample], Outcome]] = {
    "claim_precision": _precision,
    "claim_recall": _recall,
    "claim_f1": _f1,
    "context_utilisation": _utilisation,
    "hallucination": _share(
        lambda one, stated: _unsupported(one) and not stated,
        hidden=True,
        worst=1.0,
        word="made up",
    ),
    "self_knowledge": _share(
        lambda one, stated: _unsupported(one) and stated,
        hidden=False,
        worst=1.0,
        word="known without contexts",
    ),
    "noise_sensitivity": _share(
        lambda one, stated: not _unsupported(one) and not stated,
        hidden=False,
        worst=1.0,
        word="out of contexts and in no reference",
    ),
}
