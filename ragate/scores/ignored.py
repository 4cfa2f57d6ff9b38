"""Scores in files that are read for their outputs alone: they are named, not dropped unseen."""

from collections.abc import Iterable
from itertools import islice
from pathlib import Path

from ragate.core.text.wording import listed
from ragate.errors import RagateError
from ragate.outputs.outputs_file import written_by_ragate
from ragate.scores.formats import PLAIN
from ragate.scores.known_metrics import known
from ragate.scores.read_rows import read_scores
from ragate.tables.names import part_of
from ragate.version import MANUAL

_LOOKED_AT = 5  # rows


def ignored_scores(paths: Iterable[Path], *, read: str = "outputs") -> str:
    """Return a sentence about the scores that files hold beside what is read of them, "" for none.

    Args:
        read: What that is.
    """
    names: dict[str, None] = {}
    place = ""
    for path in paths:
        found = _scores_in(path)
        names.update(dict.fromkeys(found))
        place = place or (str(path) if found else "")
    if not names:
        return ""
    return (
        f"{place} holds scores ({listed([*names])}), which are not read: only its {read} are. "
        f'`ragate gate` or [system] use = "scores" holds them: {MANUAL}/scores.md'
    )


def _scores_in(path: Path) -> list[str]:
    try:
        if written_by_ragate(path):
            return []
        read = read_scores(path)
        rows = list(islice(read.rows, _LOOKED_AT))
    except RagateError:
        return []
    names = {name for row in rows for name, value in row.scores.items() if isinstance(value, float)}
    names = {name for name in names if not part_of(name)}  # fields of a golden set
    if read.format is PLAIN:  # other numbers of somebody's own lines may be anything
        names = {name for name in names if known(name) is not None}
    return sorted(names)
