"""What did it: the parts in which two systems differ, and whether one of them alone can have."""

from ragate.core.diagnosis.system_changes import system_changes
from ragate.models import ChangedPart, ChangeOrigin, Decision, Reads, RunManifest


def change_origin(
    before: RunManifest | None, after: RunManifest, decision: Decision, *, held_today: bool
) -> ChangeOrigin:
    """Return what differs between the systems of two runs.

    One part alone did it where it is all that differs, and neither chance nor drift can have: the
    system repeats exactly, or the base version was run today as well. Times are never put down to
    a part: the machine has its share in them.

    Args:
        held_today: The base version was run today and the verdict stands beside it.
    """
    changes = system_changes(before, after)
    parts = tuple(ChangedPart(words=each.words) for each in changes.differences)
    repeats = {Reads.RETRIEVAL, Reads.ANSWER} <= changes.repeats
    timed = any(row.blocks and row.unit == "seconds" for row in decision.rows)
    alone = changes.comparable and len(parts) == 1 and (repeats or held_today) and not timed
    return ChangeOrigin(parts=parts, alone=alone)
