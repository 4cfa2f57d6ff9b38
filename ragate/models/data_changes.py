"""How the golden set differs from the baseline's."""

from ragate.models.base import Frozen


class RemovedSample(Frozen):
    """A sample that the baseline has and the golden set no longer has, with its baseline means."""

    sample_id: str
    means: dict[str, float]


class DataChanges(Frozen):
    """How the golden set differs from the baseline's; an edited sample is in both lists.

    Attributes:
        matched: Selected samples that the baseline holds with the same content.
        selected: Samples of this run.
        missing_documents: Expected documents that the corpus does not hold, by sample.
        stale_evidence: Documents that no longer hold their passage of evidence, by sample: its
            reference may be stale.
        unasked_documents: Documents that the change adds or edits and no question expects, as far
            as it was looked at.
    """

    matched: int = 0
    selected: int = 0
    added: tuple[str, ...] = ()
    removed: tuple[RemovedSample, ...] = ()
    edited: tuple[str, ...] = ()
    missing_documents: dict[str, tuple[str, ...]] = {}
    stale_evidence: dict[str, tuple[str, ...]] = {}
    unasked_documents: tuple[str, ...] = ()
