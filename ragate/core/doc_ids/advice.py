"""What to say about ids that do not fit, and what to do about it."""

from ragate.core.doc_ids.mismatch import IdMismatch, MismatchKind
from ragate.core.doc_ids.spelling import Spelling
from ragate.protocols import Traits

RESPELL = "`ragate dataset relink --respell` writes the golden set as the system does"


def mismatch_words(mismatch: IdMismatch, *, came: str = "came back") -> str:
    """Return the mismatch as one sentence with its example.

    Args:
        came: What is said of the other ids.
    """
    share = f"{mismatch.missed} of {mismatch.of} expected documents"
    if mismatch.kind is MismatchKind.NOTHING_RETRIEVED:
        return (
            f"no document was ever retrieved: expected {mismatch.expected}, and nothing came back"
        )
    if mismatch.kind is MismatchKind.WITHOUT_IDS:
        return (
            f"what was retrieved has no document ids: expected {mismatch.expected}; passages came "
            "back without a name"
        )
    pair = f"expected {mismatch.expected}; {came} {mismatch.retrieved}"
    if mismatch.kind is MismatchKind.UNLIKE:
        return f"no expected document was ever retrieved: {pair}"
    kinds = " and ".join(mismatch.differs)
    verb = "differ" if len(mismatch.differs) > 1 else "differs"
    return f"the ids do not fit: {pair}: {kinds} {verb} ({share})"


def is_of_a_machine(doc_id: str) -> bool:
    """Whether an id is a path of one machine, which no golden set may expect."""
    return doc_id.startswith("/") or doc_id[1:3] in {":/", ":\\"}


def mismatch_remedy(
    mismatch: IdMismatch, traits: Traits, *, folder: str = "", already: bool = False
) -> str:
    """Return what to do about it.

    Args:
        traits: Of the system, which say how it is told.
        folder: Of the documents, relative to ragate.toml; "" where it is not known.
        already: The system is told that folder: to say it again would help nobody.
    """
    respelt = mismatch.respelt and not any(map(is_of_a_machine, mismatch.respelt.values()))
    if already and mismatch.kind in (MismatchKind.SPELT_OTHERWISE, MismatchKind.UNLIKE):
        return RESPELL if respelt else "correct `relevant`: the system is told its folder already"
    if mismatch.kind in (MismatchKind.NOTHING_RETRIEVED, MismatchKind.WITHOUT_IDS):
        return traits.retrieval_remedy
    named = traits.id_remedy.format(folder=f'"{folder}"' if folder else "the documents' folder")
    if mismatch.kind is MismatchKind.UNLIKE:
        return f"write ids in the same way on both sides: {named}, or correct `relevant`"
    if Spelling.CHUNK in mismatch.differs:
        return f"give the document's id to each of its chunks: {named}"
    return f"{named}, or {RESPELL}" if respelt else named
