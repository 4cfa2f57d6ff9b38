"""The samples as data for the page's script: what its list shows, searches and filters."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from markupsafe import Markup

from ragate.models import Report, SampleRow
from ragate.support.escape import one_line

_ESCAPES = str.maketrans(
    {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
)
_COMMIT = re.compile(r"[0-9a-f]{7,64}")
_QUERY, _NAME, _MOST_TAGS = 160, 120, 20


def data_block(report: Report, shown: int) -> Markup:
    """Return the JSON that stands in a block no browser executes.

    Angle brackets and ampersands are JSON escapes, so that no text in it can end the block.

    Args:
        shown: How many of the report's samples the page holds in full.
    """
    metrics, rows = _rows(report, shown)
    data = {
        "metrics": metrics,
        "rows": rows,
        "gate": one_line(report.gate, _NAME),
        "commit": report.head if _COMMIT.fullmatch(report.head) else "",
    }
    text = json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return Markup(text.translate(_ESCAPES))  # noqa: S704


def _rows(report: Report, shown: int) -> tuple[list[str], list[list[Any]]]:
    details = report.details
    scored = {each.sample_id: each for each in details.samples} if details is not None else {}
    metrics = list(details.metrics) if details is not None else []
    rows = []
    for number, row in enumerate(report.samples):
        scores = scored.pop(row.sample_id, None)
        pairs = _pairs(scores.before, scores.after) if scores is not None else []
        changed = _changed(row, number if number < shown else -1, pairs)
        if scores is not None and scores.hashes and number < shown and _can_be_judged(report, row):
            changed.append(list(scores.hashes))
        rows.append(changed)
    for scores in scored.values():
        names = [one_line(tag, _NAME) for tag in scores.tags[:_MOST_TAGS]]
        pairs = _pairs(scores.before, scores.after)
        sample_id, query = one_line(scores.sample_id, _NAME), one_line(scores.query, _QUERY)
        rows.append([-1, sample_id, query, names, "", "", 0, pairs])
    return [one_line(name, _NAME) for name in metrics], rows


def _changed(row: SampleRow, number: int, pairs: list[Any]) -> list[Any]:
    return [
        number,
        one_line(row.sample_id, _NAME),
        one_line(row.query, _QUERY),
        [one_line(tag, _NAME) for tag in row.tags[:_MOST_TAGS]],
        row.change,
        row.cause.kind.value.replace("_", " ") if row.cause is not None else "",
        int(row.must_pass),
        pairs,
    ]


def _can_be_judged(report: Report, row: SampleRow) -> bool:
    """Whether the page shows two answers that differ, and says exactly of what."""
    sides = [side.answer if side is not None else None for side in (row.baseline, row.candidate)]
    names = (row.sample_id, report.gate)
    is_exact = all(one_line(text, _NAME) == text for text in names)
    return is_exact and None not in sides and sides[0] != sides[1]


def _pairs(before: Sequence[float | None], after: Sequence[float | None]) -> list[Any]:
    """Return each metric's score: a number where both sides are equal, else the pair."""
    return list(_each_pair(before, after))


def _each_pair(before: Sequence[float | None], after: Sequence[float | None]) -> Iterator[Any]:
    for old, new in zip(before, after, strict=True):
        rounded = [None if value is None else round(value, 4) for value in (old, new)]
        yield rounded[0] if rounded[0] == rounded[1] else rounded
