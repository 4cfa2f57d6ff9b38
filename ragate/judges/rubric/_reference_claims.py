"""Claims beside the references: how they are asked for, and what a reply must hold of them."""

from collections.abc import Collection, Sequence

from pydantic import Field

from ragate.judges.rubric._judged_sample import JudgedSample
from ragate.judges.rubric._schema import (
    NotAJudgementError,
    Number,
    Strict,
    distinct,
    exactly,
    refuse_above,
)

# No part of the judge's fingerprint, so that judgements on other criteria stay what they are.
# Whoever changes these words raises VERSION in _prompt.py; a test holds them.
INTRODUCTION = (
    'The object has these keys as well, behind "claim_free" where that is asked for, and before '
    "all others:"
)
RIGHT = (
    '- "right": one object for each claim of "claims", in order: "claim" is its id, "stated" is'
    " true if a reference answer states it or it follows from one at once, false if a reference"
    " says otherwise or none says anything of it. That a context states a claim does not make "
    "it stated here."
)
CLAIMS = (
    '- "reference_claims": every factual claim of the reference answers, in the order of their '
    "sentences R1 to R{sentences}. A sentence may make several claims; split it where parts of "
    "it could be true apart. Each claim is an object:\n"
    '  - "id": 1, 2, 3 and so on, without a gap.\n'
    '  - "sentence": number of the reference sentence that makes it.\n'
    '  - "text": the claim in your own words, complete in itself.\n'
    '  - "contexts": numbers of the contexts that state it or from which it follows at once; an'
    " empty list if there is none.\n"
    '  - "in_answer": true if the answer states it or it follows from the answer at once.\n'
    '- "reference_claim_free": numbers of the reference sentences that claim nothing about the '
    "world. Each of the {sentences} reference sentences must stand either here or in a claim, "
    "never in both."
)


class RightClaim(Strict):
    """Whether a reference states one claim of the answer."""

    claim: Number
    stated: bool


class ReferenceClaim(Strict):
    """One claim of a reference, and where it stands."""

    id: Number
    sentence: Number
    text: str = Field(min_length=1)
    contexts: list[Number]
    in_answer: bool


def reference_instructions(keys: Collection[str], judged: JudgedSample) -> str:
    """Return what stands below the instructions, "" where no claim is held against references."""
    parts = []
    if "right" in keys:
        parts.append(RIGHT)
    if "reference_claims" in keys:
        parts.append(CLAIMS.format(sentences=len(judged.reference_sentences)))
    if not parts:
        return ""
    return "\n".join([INTRODUCTION, "", *parts])


def check_references(
    claims: Sequence[ReferenceClaim], claim_free: Sequence[int], judged: JudgedSample
) -> None:
    """Refuse claims that leave out a sentence of a reference, or name what is not there.

    Raises:
        NotAJudgementError: they do.
    """
    exactly("reference_claims", [one.id for one in claims], range(1, len(claims) + 1))
    distinct("reference_claim_free", claim_free)
    with_claims = {one.sentence for one in claims}
    if both := with_claims & set(claim_free):
        raise NotAJudgementError(
            f"reference sentence {min(both)} has a claim and is in reference_claim_free"
        )
    sentences = sorted(with_claims | set(claim_free))
    exactly("reference sentences", sentences, range(1, len(judged.reference_sentences) + 1))
    for one in claims:
        distinct(f"reference claim {one.id}: contexts", one.contexts)
        refuse_above(f"reference claim {one.id}: context", one.contexts, len(judged.contexts))
