"""Rows that hold a recorded output beside the sample: one file for questions and answers."""

from collections.abc import Mapping
from typing import Any

from ragate.errors import DatasetError

REFERENCES = (
    *("references", "reference", "reference_answer", "ground_truth"),
    *("expected_answer", "expected_output"),
)
# What the system `replay` reads of such a row.
RECORDED = frozenset(
    {"answer", "contexts", "chunks", "citations", "latency", "error", "run", "hash"}
    | {"usage", "tool_calls", "first_stage", "executed"}
)
_RETRIEVED = frozenset({"contexts", "chunks"})


def without_outputs(where: str, row: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a row without the output that was recorded beside it.

    An ``answer`` alone could as well be meant as the right one: it counts as recorded only beside
    passages or beside a reference.

    Raises:
        DatasetError: it is not clear which of the two a field is.
    """
    recorded = RECORDED & row.keys()
    if not recorded:
        return row
    given = {name for name in recorded if row[name] is not None}
    clear = bool(given & _RETRIEVED) or any(row.get(name) is not None for name in REFERENCES)
    if given and not clear:
        raise DatasetError(
            f"{where}: {min(given)!r} is a recorded output, not part of a golden set",
            remedy="the right answer goes under 'references'; a recorded one may stay where its "
            "passages ('contexts') or a reference stand beside it (docs/replay.md)",
        )
    return {name: value for name, value in row.items() if name not in recorded}
