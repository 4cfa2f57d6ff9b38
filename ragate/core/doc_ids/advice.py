"""What to say about ids that do not fit, and what to do about it."""

from ragate.core.doc_ids.mismatch import IdMismatch, MismatchKind
from ragate.core.doc_ids.spelling import Spelling

RESPELL = "`ragate dataset relink --respell` writes the golden set as the system does"
# How each system is told which id its documents have; of others their own code decides.
_NAMED_BY = {
    "llamaindex": 'set [system] doc_id = "file_path" and doc_id_relative_to = {folder}',
    "python": "return this id as `doc_id`; for documents of LangChain set [system] "
    "doc_id_relative_to = {folder}",
    "http": "let `ids` of [system.pointers] point at the field that holds it",
    "replay": "record it as `doc_id`",
    "pgvector": "the id is the path below the folder of [system] corpus",
}
_PASSAGES = {
    "llamaindex": "gate an engine that returns source nodes, or the retriever",
    "http": "let `contexts` and `ids` of [system.pointers] point at what was retrieved",
    "replay": "record `chunks` with doc_id and text",
}
_IDS = {
    "http": "let `ids` of [system.pointers] point at the field that names the document",
    "replay": "record `chunks` with doc_id in place of `contexts`",
}
_RETURN = "return `chunks` with doc_id and text beside the answer"


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


def mismatch_remedy(mismatch: IdMismatch, use: str, *, folder: str = "") -> str:
    """Return what to do about it.

    Args:
        use: The system's name.
        folder: Of the documents, relative to ragate.toml; "" where it is not known.
    """
    if mismatch.kind is MismatchKind.NOTHING_RETRIEVED:
        return _PASSAGES.get(use, _RETURN)
    if mismatch.kind is MismatchKind.WITHOUT_IDS:
        return _IDS.get(use, _RETURN)
    shown = f'"{folder}"' if folder else "the folder of the documents"
    named = _NAMED_BY.get(use, "return this id as `doc_id`").format(folder=shown)
    if mismatch.kind is MismatchKind.UNLIKE:
        return f"write ids in the same way on both sides: {named}, or correct `relevant`"
    if Spelling.CHUNK in mismatch.differs:
        return f"give the document's id to each of its chunks: {named}"
    return f"{named}, or {RESPELL}" if mismatch.respelt else named
