"""The samples as data for the page's script: what its list shows, searches and filters."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from markupsafe import Markup

from ragate.models import Direction, Report, SampleRow, SampleScores
from ragate.support.escape import one_line

_ESCAPES = str.maketrans(
    {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
)
_COMMIT = re.compile(r"[0-9a-f]{7,64}")
_QUERY, _NAME, _MOST_TAGS = 160, 120, 20


class DataBlock:
    """The JSON that stands in a block no browser executes; each sample is written once.

    Angle brackets and ampersands are JSON escapes, so that no text in it can end the block.
    """

    def __init__(self, report: Report) -> None:
        details = report.details
        scored = {each.sample_id: each for each in details.samples} if details is not None else {}
        metrics = list(details.metrics) if details is not None else []
        worse_when_higher = {
            row.metric for row in report.decision.metrics if row.direction is Direction.LOWER
        }
        lower = [at for at, name in enumerate(metrics) if name in worse_when_higher]
        self._metrics = _text([one_line(name, _NAME) for name in metrics])
        self._changed: list[str] = []
        self._hashes: list[str] = []
        for row in report.samples:
            scores = scored.pop(row.sample_id, None)
            pairs = _pairs(scores.before, scores.after) if scores is not None else []
            is_judged = scores is not None and scores.hashes and _can_be_judged(report, row)
            hashes = list(scores.hashes) if scores is not None and is_judged else None
            self._changed.append(_text(_changed(row, pairs))[1:-1])
            self._hashes.append(f",{_text(hashes)}" if hashes else "")
        self._others = [_text(_unchanged(scores)) for scores in scored.values()]
        commit = report.head if _COMMIT.fullmatch(report.head) else ""
        rest = {"gate": one_line(report.gate, _NAME), "commit": commit, "lower": lower}
        self._rest = _text(rest)[1:]

    @property
    def size(self) -> int:
        """Bytes of the block where the page holds no sample in full."""
        return len(self.text(0).encode())

    def text(self, shown: int) -> Markup:
        """Return the block.

        Args:
            shown: How many of the report's samples the page holds in full.
        """
        full = [
            f"[{number},{row}{hashes}]"
            for number, (row, hashes) in enumerate(
                zip(self._changed[:shown], self._hashes, strict=False)
            )
        ]
        listed = [f"[-1,{row}]" for row in self._changed[shown:]]
        rows = ",".join([*full, *listed, *self._others])
        text = f'{{"metrics":{self._metrics},"rows":[{rows}],{self._rest}'
        return Markup(text)  # noqa: S704  every part of it was escaped


_ENCODE = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode


def _text(value: Any) -> str:
    return _ENCODE(value).translate(_ESCAPES)


def _unchanged(scores: SampleScores) -> list[Any]:
    names = [one_line(tag, _NAME) for tag in scores.tags[:_MOST_TAGS]]
    sample_id, query = one_line(scores.sample_id, _NAME), one_line(scores.query, _QUERY)
    pairs = _pairs(scores.before, scores.after)
    return [-1, sample_id, query, names, "", "", 0, pairs]


def _changed(row: SampleRow, pairs: list[Any]) -> list[Any]:
    return [
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
